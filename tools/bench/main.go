// Bench runs this program's listings and those of rclone side by side, on one endpoint
// on loopback whose pages are made as they are asked for, and prints a table in
// Markdown. Every client is a process of its own, whose processor time is told apart
// from the server's; all of them write one line for each version to nowhere.
//
//	go build -C tools/rclone -o /tmp/rclone github.com/rclone/rclone
//	go run ./tools/bench -rclone /tmp/rclone
//
// With awscli's and s3cmd's programs they are beside this one instead, on a bucket of a
// tenth as many versions, since they are slow:
//
//	go run ./tools/bench -aws /usr/bin/aws -s3cmd /usr/bin/s3cmd
//
// Besides, it measures how walks and audits grow, and draws it:
//
//	go run ./tools/bench -growth docs/growth.csv
//	go run ./tools/bench -plot docs/growth.csv -png docs/growth.png
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	"provcat-tui/internal/synthetic"
)

func main() {
	if len(os.Args) > 1 && (os.Args[1] == listWord || os.Args[1] == snapshotWord) {
		exit(client(context.Background(), os.Args[1], os.Args[2:]))
	}
	n := flag.Int64("n", 1_000_000, "versions in the bucket")
	folders := flag.Int64("folders", 1000, "folders that they lie in, evenly")
	rclone := flag.String("rclone", "", "rclone's program; empty: ours alone")
	aws := flag.String("aws", "", "awscli's program; empty: not measured")
	s3cmd := flag.String("s3cmd", "", "s3cmd's program; empty: not measured")
	only := flag.String("only", "", "a regular expression that a row's text must match")
	growth := flag.String("growth", "", "measure walks and audits of 1, 3 and 10 million versions, and write them to this file")
	figures := flag.String("plot", "", "draw the figures of this file")
	png := flag.String("png", "", "the picture of -plot")
	flag.Parse()
	switch {
	case *growth != "":
		exit(grow(*growth))
	case *figures != "":
		exit(plot(*figures, *png))
	}
	match, err := regexp.Compile(*only)
	if err != nil {
		exit(err)
	}
	if *aws+*s3cmd != "" {
		err = sideBySide(synthetic.Folders(*n/10, max(1, *folders/10)), slowCases(*aws, *s3cmd), match)
	} else {
		err = sideBySide(synthetic.Folders(*n, *folders), cases(*rclone), match)
	}
	exit(err)
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

const slow = 30 * time.Millisecond

// ours is a listing of this program.
func ours(dialect string, latency time.Duration, side int) run {
	how := fmt.Sprintf("this program, %d at a time", side)
	if side == 1 {
		how = "this program, one listing"
	}
	return run{dialect: dialect, latency: latency, how: how, args: []string{listWord, dialect, fmt.Sprint(side)}}
}

// slowCases are the rows beside awscli and s3cmd.
func slowCases(aws, s3cmd string) [][]run {
	return [][]run{{ours(s3, 0, 1),
		{dialect: s3, peer: true, program: aws, how: "aws s3api list-object-versions --output text", where: func(url string) []string {
			return []string{"--endpoint-url", url, "s3api", "list-object-versions", "--bucket", "synthetic", "--output", "text", "--query", "Versions[].[Key,VersionId]"}
		}},
		{dialect: s3, peer: true, program: s3cmd, how: "s3cmd ls -r (live objects: it lists no versions)", where: func(url string) []string {
			host := strings.TrimPrefix(url, "http://")
			return []string{"-c", os.DevNull, "--access_key=test", "--secret_key=test", "--no-ssl", "--host=" + host, "--host-bucket=" + host, "ls", "-r", "s3://synthetic"}
		}},
	}}
}

// cases are the rows of the table, in groups that are compared.
func cases(rclone string) (groups [][]run) {
	snapshot := func(latency time.Duration) run {
		return run{dialect: s3, latency: latency, how: "this program, a commit's snapshot, 16 at a time", args: []string{snapshotWord, s3, "16"}}
	}
	theirs := func(dialect string, latency time.Duration, how string, args ...string) run {
		return run{dialect: dialect, latency: latency, peer: true, program: rclone, how: "rclone " + how, args: append(args, "lsf", "-R", "--files-only"), where: func(url string) []string { return []string{remote(dialect, url)} }}
	}
	for _, latency := range []time.Duration{0, slow} {
		groups = append(groups, []run{
			ours(s3, latency, 1), ours(s3, latency, 16), ours(s3, latency, 64), snapshot(latency),
			theirs(s3, latency, "--s3-versions --fast-list", "--s3-versions", "--fast-list"),
			theirs(s3, latency, "--s3-versions --disable ListR --checkers 64", "--s3-versions", "--disable", "ListR", "--checkers", "64"),
		})
	}
	return append(groups, []run{
		ours(gcs, slow, 1), ours(gcs, slow, 16), ours(gcs, slow, 64),
		theirs(gcs, slow, "--fast-list", "--fast-list"),
		theirs(gcs, slow, "--disable ListR --checkers 64", "--disable", "ListR", "--checkers", "64"),
	})
}

func sideBySide(shape synthetic.Shape, groups [][]run, match *regexp.Regexp) error {
	server := synthetic.New(shape)
	defer server.Close()
	fmt.Printf("\n%d versions in %s, 1,000 a page\n\n", shape.Total(), shape.Name)
	fmt.Println("| store | a request takes | who | time | processor, for each version | peak memory | requests for each page | times as fast as each peer |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	for _, group := range groups {
		var peers []time.Duration
		var done []run
		for _, r := range group {
			if r.peer && r.program == "" || !match.MatchString(r.String()) {
				continue
			}
			if err := r.measure(server, shape.Total()); err != nil {
				return err
			}
			if r.peer {
				peers = append(peers, r.took)
			}
			done = append(done, r)
		}
		for _, r := range done {
			fmt.Println(r.row(shape.Total(), peers))
		}
	}
	return nil
}
