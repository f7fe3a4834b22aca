package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"provcat-tui/commit"
)

// cut removes the newest commit of sales without a trace in the bucket.
func (tb *testBucket) cut(id string, n int64) {
	tb.purge(commit.EntryKey("sales", n))
	tb.purge(commit.CommitKey(id))
}

func TestAuditWitness(t *testing.T) {
	home := isolate(t)
	tb, first, second := sales(t)
	path := filepath.Join(home, "w.json")
	read := func() string {
		t.Helper()
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	cli("audit", tb.path, "--witness", path, "--witness-readonly").wants(t, 2).says(t, "--witness", "no such file")
	cli("audit", tb.path, "--witness", path).wants(t, 0).says(t, "begins, with 1 log and 2 commits")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v; want mode 0600", info, err)
	}
	if w := read(); !strings.Contains(w, first) || !strings.Contains(w, second) || !strings.Contains(w, `"schema":"provcat-witness/1"`) {
		t.Errorf("the witness is %s", w)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if r := cli("audit", tb.path, "--witness", path).wants(t, 0); r.err != "" {
		t.Errorf("stderr %q", r.err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v; want the mode as it was, 0640", info, err)
	}
	tb.cut(second, 2)
	// The bucket alone shows nothing.
	cli("audit", tb.path).wants(t, 0)
	was := read()
	for _, args := range [][]string{{"--witness-readonly"}, {}, {"--depth", "log"}, {"--format", "json"}, {"--folder", "sales"}} {
		r := cli(append([]string{"audit", tb.path, "--witness", path}, args...)...).wants(t, 1)
		if !strings.Contains(r.out, "witness-regressed") {
			t.Errorf("%v: %s", args, r.out)
		}
		if len(args) > 0 && args[0] == "--witness-readonly" && read() != was {
			t.Error("--witness-readonly wrote")
		}
	}
	if w := read(); !strings.Contains(w, second) || !strings.Contains(w, `"since":"2024`) {
		t.Errorf("the witness forgot: %s", w)
	}
	// Nothing at all is left of the folder: that is damage, and no wrong usage.
	for _, key := range []string{commit.EntryKey("sales", 1), commit.CommitKey(first), "sales/us.csv", "sales/new.txt", "sales/eu/orders.csv", "sales/later.txt"} {
		tb.purge(key)
	}
	cli("audit", tb.at("sales")).wants(t, 2)
	if r := cli("audit", tb.at("sales"), "--witness", path).wants(t, 1); !strings.Contains(r.out, "the log of sales is gone as a whole") {
		t.Error(r.out)
	}
}

func TestAuditWitnessFilesThatCannotBeUsed(t *testing.T) {
	home := isolate(t)
	tb, _, _ := sales(t)
	other, _, _ := sales(t)
	at := func(name string) string { return filepath.Join(home, name) }
	cli("audit", other.path, "--witness", at("other")).wants(t, 0)
	whole, err := os.ReadFile(at("other"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, at("half"), string(whole[:len(whole)/2]))
	write(t, at("changed"), strings.Replace(string(whole), `[1,"`, `[3,"`, 1))
	write(t, at("empty"), "")
	write(t, at("report"), `{"schema":"provcat-audit/1"}`)
	write(t, at("hostile"), "{\"schema\":\"\x1b[2J\"}")
	for name, says := range map[string]string{
		"other": "is the witness of file://" + other.path, "half": "breaks off", "changed": "comes after", "empty": "is empty",
		"report": "provcat-audit/1", "hostile": "byte", "no/dir": "no such file or directory", ".": "is a directory",
	} {
		before, _ := os.ReadFile(at(name)) // some are no files
		r := cli("audit", tb.path, "--witness", at(name)).wants(t, 2)
		r.says(t, "--witness", says)
		if after, _ := os.ReadFile(at(name)); string(after) != string(before) || r.out != "" {
			t.Errorf("%s was changed, or something was printed: %q", name, r.out)
		}
	}
	cli("audit", tb.path, "--witness-readonly").wants(t, 2).says(t, "needs --witness FILE")
	cli("audit", tb.path, "--witness", at("x"), "--output", at("x")).wants(t, 2).says(t, "the same file")
	cli("audit", tb.path, "--ignore", at("x"), "--output", at("x")).wants(t, 2).says(t, "the place of the rules")
}

// A run that was killed leaves a part of a file beside the witness: nobody reads it.
func TestAuditWitnessAfterACrash(t *testing.T) {
	home := isolate(t)
	tb, _, second := sales(t)
	path, link := filepath.Join(home, "w.json"), filepath.Join(home, "link")
	cli("audit", tb.path, "--witness", path).wants(t, 0)
	write(t, filepath.Join(home, ".w.json.ABCDEFGH.tmp"), `{"schema":"provcat-wit`)
	if err := os.Symlink("w.json", link); err != nil {
		t.Fatal(err)
	}
	third := tb.commitMore("later.txt")
	cli("audit", tb.path, "--witness", link).wants(t, 0)
	data, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(data), second) || !strings.Contains(string(data), third) {
		t.Errorf("%s, %v", data, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is now %v, %v", info, err)
	}
}

func (tb *testBucket) commitMore(name string) string {
	tb.t.Helper()
	tb.put("sales/"+name, name+" again")
	return tb.commit("sales", "ana", name)
}

// A witness that cannot be written: the report stands, and the exit code tells.
func TestAuditWitnessThatCannotBeWritten(t *testing.T) {
	home := isolate(t)
	tb, _, second := sales(t)
	// The new file beside it has a longer name, so that there cannot be one: this
	// fails for root too, which a folder without write permission does not.
	path := filepath.Join(home, strings.Repeat("w", 250))
	cli("audit", tb.path, "--witness", filepath.Join(home, "w")).wants(t, 0)
	if err := os.Rename(filepath.Join(home, "w"), path); err != nil {
		t.Fatal(err)
	}
	fails := func(code int, prints string) {
		t.Helper()
		r := cli("audit", tb.path, "--witness", path).wants(t, code)
		r.says(t, "write the witness", "file name too long", "will know only what the file says now")
		if !strings.Contains(r.out, prints) {
			t.Errorf("no report: %s", r.out)
		}
	}
	fails(3, "PASS")
	cli("audit", tb.path, "--witness", path, "--witness-readonly").wants(t, 0)
	tb.cut(second, 2)
	fails(1, "witness-regressed")
}

// What one run sees is not lost since another, which began earlier, ends later.
func TestAuditWitnessRunsTogether(t *testing.T) {
	home := isolate(t)
	tb, first, second := sales(t)
	path := filepath.Join(home, "w.json")
	cli("audit", tb.path, "--witness", path).wants(t, 0)
	o := &auditOptions{witness: path}
	early, err := openWitness(o, "file://"+tb.path)
	if err != nil {
		t.Fatal(err)
	}
	third := tb.commitMore("later.txt")
	cli("audit", tb.path, "--witness", path).wants(t, 0)
	if err := early.save(early.witness); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{first, second, third} {
		if !strings.Contains(string(data), id) {
			t.Errorf("%s is forgotten: %s", id, data)
		}
	}
	// Meanwhile it has become another bucket's, or garbage: it is left alone.
	for _, text := range []string{"garbage", strings.Replace(string(data), "file://", "file://else", 1)} {
		late, err := openWitness(o, "file://"+tb.path)
		if err != nil {
			t.Fatal(err)
		}
		write(t, path, text)
		if err := late.save(late.witness); err == nil || !strings.Contains(err.Error(), "changed meanwhile") {
			t.Errorf("%v", err)
		}
		if now, err := os.ReadFile(path); err != nil || string(now) != text {
			t.Errorf("%q was overwritten, %v", text, err)
		}
		write(t, path, string(data))
	}
	// Many at once leave a whole file.
	var g sync.WaitGroup
	codes := make([]int, 6)
	for i := range codes {
		g.Go(func() { codes[i] = cli("audit", tb.path, "--witness", path).code })
	}
	g.Wait()
	if slices.Max(codes) != 0 {
		t.Errorf("exit codes %v", codes)
	}
	cli("audit", tb.path, "--witness", path, "--witness-readonly").wants(t, 0)
}
