package cli

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"provcat-tui/internal/fakegcs"
	"provcat-tui/internal/fakes3"
	"provcat-tui/internal/faults"
)

// A liedTo bucket has two commits of a folder in it, and a store that can be made to lie.
type liedTo struct {
	*faults.Server
	via             func(args ...string) result
	url, list, read string // the bucket's, and the API's names of operations
}

func liedToBuckets(t *testing.T) map[string]func(t *testing.T) liedTo {
	t.Helper()
	commitTwice := func(t *testing.T, b liedTo, put func(key, body string)) liedTo {
		put("sales/eu.csv", "a,b\n")
		put("sales/us.csv", "12345")
		b.via("commit", b.url+"/sales", "-m", "first").wants(t, 0)
		put("sales/us.csv", "54321")
		b.via("commit", b.url+"/sales", "-m", "second").wants(t, 0)
		b.via("audit", b.url).wants(t, 0)
		return b
	}
	return map[string]func(t *testing.T) liedTo{
		"S3": func(t *testing.T) liedTo {
			s := newS3(t, fakes3.Options{})
			via := func(args ...string) result {
				return cliAt(time.Now(), append(args, "--endpoint", s.URL(), "--region", "us-east-1", "--path-style")...)
			}
			return commitTwice(t, liedTo{&s.Server, via, "s3://team-data", "ListObjectVersions", "GetObject"},
				func(key, body string) { s.Put("team-data", key, []byte(body)) })
		},
		"Cloud Storage": func(t *testing.T) liedTo {
			s := newGCS(t, fakegcs.Options{})
			via := func(args ...string) result { return cliAt(time.Now(), args...) }
			return commitTwice(t, liedTo{&s.Server, via, "gs://team-data", "objects.list", "objects.media"},
				func(key, body string) { s.Put("team-data", key, []byte(body)) })
		},
	}
}

func swapBytes(old, new string) faults.Action {
	return faults.Edit(func(a *faults.Answer) { a.Body = bytes.ReplaceAll(a.Body, []byte(old), []byte(new)) })
}

// An audit of a store that lies never passes: what cannot be so is a finding of its own,
// "could not be checked" (exit 3), or damage that the person can look at (exit 1).
func TestAuditOfAStoreThatLies(t *testing.T) {
	for store, fresh := range liedToBuckets(t) {
		for name, c := range map[string]struct {
			reads  bool   // else listings
			prefix string // of the keys, or of a listing's prefix
			do     faults.Action
			code   int
		}{
			"a web page for .provcat/":           {false, ".provcat/", faults.HTML, 3},
			"a web page for the folder":          {false, "sales/", faults.HTML, 3},
			"names outside of the prefix":        {false, "sales/", swapBytes("sales/us", "tales/us"), 3},
			"an end of the names that is wrong":  {false, "sales/", faults.Cut(30), 3},
			"a web page for a commit":            {true, ".provcat/commits/", faults.HTML, 3},
			"a web page for an entry":            {true, ".provcat/log/", faults.HTML, 3},
			"a commit that is cut":               {true, ".provcat/commits/", faults.Cut(10), 3},
			"a commit whose bytes are others":    {true, ".provcat/commits/", swapBytes("us.csv", "xx.csv"), 1},
			"entries whose bytes are others":     {true, ".provcat/log/", swapBytes(`"number":2`, `"number":7`), 3},
			"entries that are none, though told": {true, ".provcat/log/", swapBytes(`"commit"`, `"commot"`), 3},
		} {
			t.Run(store+", "+name, func(t *testing.T) {
				b := fresh(t)
				kind := b.list
				if c.reads {
					kind = b.read
				}
				armed := b.Fail(faults.Fault{Kind: kind, Prefix: c.prefix, Times: -1, Do: c.do})
				r := b.via("audit", b.url)
				if r.code != c.code || r.out == "" || armed.Fired() == 0 {
					t.Errorf("exit %d, want %d, met %d times\n%s%s", r.code, c.code, armed.Fired(), r.out, r.err)
				}
			})
		}
	}
}

var yearOfVersion = regexp.MustCompile(`(<LastModified>|"timeCreated":\s*")\d{4}-`)

// Entries whose times are not where their commits' are: of years ago, or of years to come.
// That is no damage, and it is told with both times.
func TestAuditOfTimesThatGoBack(t *testing.T) {
	for store, fresh := range liedToBuckets(t) {
		for _, year := range []string{"2001", "2101"} {
			t.Run(store+", "+year, func(t *testing.T) {
				b := fresh(t)
				b.Fail(faults.Fault{Kind: b.list, Prefix: ".provcat/", Times: -1, Do: faults.Edit(func(a *faults.Answer) {
					a.Body = yearOfVersion.ReplaceAll(a.Body, []byte("${1}"+year+"-"))
				})})
				r := b.via("audit", b.url).wants(t, 0)
				if !strings.Contains(r.out, "time-skewed") || !strings.Contains(r.out, year+"-") {
					t.Errorf("%s", r.out)
				}
				b.via("audit", b.url, "--fail-on", "anomaly").wants(t, 1)
			})
		}
	}
}

// Bytes that are not those of their checksum are told, by cat after the fact, and get
// leaves no file of them. So is a part that is said to be all.
func TestOtherBytesUnderARightChecksum(t *testing.T) {
	for store, fresh := range liedToBuckets(t) {
		t.Run(store, func(t *testing.T) {
			b := fresh(t)
			b.Fail(faults.Fault{Kind: b.read, Prefix: "sales/us.csv", Times: -1, Do: faults.Edit(func(a *faults.Answer) {
				a.Body = []byte("543")
				a.Header.Set("Content-Length", "3")
			})})
			if r := b.via("cat", b.url+"/sales/us.csv"); r.code != 3 || !strings.HasPrefix(r.err, "provcat-tui: read") {
				t.Errorf("a part: %+v", r)
			}
			b.Heal()
			b.Fail(faults.Fault{Kind: b.read, Prefix: "sales/us.csv", Times: -1, Do: swapBytes("54321", "99999")})
			for _, args := range [][]string{{"cat", b.url + "/sales/us.csv"}, {"cat", b.url + "/sales/us.csv", "--at", "2"}} {
				// 01cfcd4f6b8770febfb40cb906715822 is the MD5 of 54321, by md5sum.
				b.via(args...).wants(t, 3).says(t, "01cfcd4f6b8770febfb40cb906715822", "not to be trusted")
			}
			dir := filepath.Join(t.TempDir(), "to")
			r := b.via("get", b.url+"/sales", "-o", dir, "--at", "2")
			if r.code == 0 || !strings.Contains(r.out+r.err, "01cfcd4f6b8770febfb40cb906715822") {
				t.Errorf("get: %+v", r)
			}
			if _, err := os.Stat(filepath.Join(dir, "us.csv")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("us.csv is there: %v", err)
			}
		})
	}
}
