package bucket

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"provcat-tui/internal/safe"
)

func TestParse(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "x.bucket")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, c := range []struct {
		raw  string
		want Location
	}{
		{"s3://b", Location{"s3", "b", ""}},
		{"s3://b/", Location{"s3", "b", ""}},
		{"S3://b/Sales", Location{"s3", "b", "Sales"}}, // only the scheme is without case
		{"GS://b", Location{"gs", "b", ""}},
		{"File://" + file, Location{"file", file, ""}},
		{"s3://b/sales/2026", Location{"s3", "b", "sales/2026"}},
		{"s3://b/sales/", Location{"s3", "b", "sales/"}},
		{"s3://b//", Location{"s3", "b", "/"}},
		{"s3://b/a%20b?c#d", Location{"s3", "b", "a%20b?c#d"}},
		{"file://" + file, Location{"file", file, ""}},
		{"file://" + file + "/sales/2026", Location{"file", file, "sales/2026"}},
		{file + "//x", Location{"file", file, "/x"}},
		{"x.bucket/sales", Location{"file", file, "sales"}},
		{"./x.bucket", Location{"file", file, ""}},
	} {
		got, err := Parse(c.raw)
		if err != nil || got != c.want {
			t.Errorf("Parse(%q) = %+v, %v; want %+v", c.raw, got, err, c.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	dir := t.TempDir()
	for raw, says := range map[string]string{
		"":                     "empty",
		"s3://":                "names no bucket",
		"s3:///x":              "names no bucket",
		"gopher://x":           "unknown scheme",
		"file://x/y":           "three slashes",
		dir:                    "is a directory",
		dir + "/none.bucket/x": "there is no file " + dir + "/none.bucket;",
		"no\x1b[2Jsuch":        `no\x1b[2Jsuch`,
	} {
		_, err := Parse(raw)
		if !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), says) {
			t.Errorf("Parse(%q): %v; want wrong usage that says %q", raw, err, says)
		}
		if err != nil && strings.Contains(err.Error(), "\x1b") {
			t.Errorf("Parse(%q): raw escape in %q", raw, err)
		}
	}
}

func TestLocationStringLeadsBack(t *testing.T) {
	for _, s := range []string{"s3://b", "s3://b/a/b", "s3://b//"} {
		l, err := Parse(s)
		if err != nil || l.String() != s {
			t.Errorf("%q: %q, %v", s, l.String(), err)
		}
	}
}

func TestOpenWithoutADriver(t *testing.T) {
	_, err := Open(context.Background(), Location{Scheme: "none", Bucket: "b"}, Options{})
	if !errors.Is(err, ErrUsage) {
		t.Errorf("got %v", err)
	}
}

func TestErrorTextTellsAllAndEscapes(t *testing.T) {
	e := &Error{Op: "read", Bucket: "s3://b", Key: "k\x1b[31m", Version: "v\n1", Kind: ErrDenied,
		Permission: "s3:GetObjectVersion", Err: errors.New("AccessDenied\x07"), Hint: "ask for it"}
	want := `read s3://b/k\x1b[31m (version v\n1): access denied, needs s3:GetObjectVersion: AccessDenied\x07; ask for it`
	if e.Error() != want {
		t.Errorf("got  %s\nwant %s", e, want)
	}
	if !errors.Is(e, ErrDenied) || errors.Is(e, ErrNotFound) {
		t.Error("kinds are mixed up")
	}
}

// writes is a store whose write methods would panic if they were reached.
type writes struct {
	Bucket
}

func (w *writes) URL() string { return "s3://b" }

func TestReadOnlyRefusesEveryWrite(t *testing.T) {
	w := &writes{}
	b := ReadOnly(w)
	ctx := context.Background()
	_, e1 := b.PutIfAbsent(ctx, "k", strings.NewReader(""))
	_, e2 := b.CopyVersion(ctx, "k", "v", "to")
	_, e3 := b.Delete(ctx, "k")
	e4 := b.DeleteVersion(ctx, "k", "v")
	for i, err := range []error{e1, e2, e3, e4} {
		if !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "read-only") {
			t.Errorf("write %d: %v", i, err)
		}
	}
	if ReadOnly(b) != b {
		t.Error("wrapped twice")
	}
}

// FuzzParse: any text is a location that its own URL leads to again, or an error that can
// be shown.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"s3://b/a%20b?c#d", "GS://b//", "gs://\x1b[2J/\u202e", "file:///tmp", "s3://", "://x", "\x00", "gopher://\x9b31m", "s3://b/../.."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		l, err := Parse(raw)
		if err != nil {
			if !errors.Is(err, ErrUsage) || safe.Text(err.Error()) != strings.ReplaceAll(err.Error(), `\`, `\\`) {
				t.Errorf("Parse(%q): %q", raw, err)
			}
			return
		}
		if again, err := Parse(l.String()); err != nil || again != l {
			t.Errorf("Parse(%q) = %+v, whose URL %q is %+v, %v", raw, l, l.String(), again, err)
		}
	})
}
