package target

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

var (
	posix   = Rules{}
	windowz = Rules{Windows: true, Fold: true}
	apple   = Rules{Fold: true}
)

// Which names of a list are refused, on each kind of file system.
func TestNames(t *testing.T) {
	for _, c := range []struct {
		name    string
		rules   Rules
		list    []string
		refused []string
	}{
		{"all is well", windowz, []string{"a", "a-b", "b/", "b/c", "d/e/f", "d/e/g"}, nil},
		{"parts that lead elsewhere", posix, []string{"..", "../a", "/a", "a/../b", "b//c", "d/.", "e\x00"}, []string{"..", "../a", "/a", "a/../b", "b//c", "d/.", "e\x00"}},
		// Bytewise "a-b" and "a.txt" stand between "a" and "a/b".
		{"a file that is a folder", posix, []string{"a", "a-b", "a.txt", "a/b", "a0", "c/d", "c/d/e", "c/d/e/f"}, []string{"a", "c/d", "c/d/e"}},
		{"a folder's own object", posix, []string{"a/", "a/b", "c", "c/"}, []string{"c"}},
		{"twice", posix, []string{"a", "b", "b", "b", "c"}, []string{"b"}},
		{"case where it counts", posix, []string{"A", "B/x", "a", "b/y"}, nil},
		{"case where it doesn't", apple, []string{"A", "B/x", "a", "b/y", "c"}, []string{"a", "b/y"}},
		{"case of a file and a folder", apple, []string{"A", "a/b"}, []string{"a/b"}},
		{"other alphabets", apple, []string{"ÄPFEL", "äpfel", "\u212a", "k"}, []string{"äpfel", "\u212a"}},
		{"devices on Windows", windowz, []string{"COM0", "COM10", "Lpt9.txt", "aux", "com¹.x", "console", "con .txt", "d/nul", "x/CONIN$"},
			[]string{"COM0", "Lpt9.txt", "aux", "com¹.x", "con .txt", "d/nul", "x/CONIN$"}},
		{"characters of Windows", windowz, []string{"a:b", "c\\d", "e?", "f. ", "g.", "h\n", "i ", "j.k"}, []string{"a:b", "c\\d", "e?", "f. ", "g.", "h\n", "i "}},
		{"what acts on a terminal", posix, []string{"a\x1b[2Jb", "c\n", "d\x7f", "e\u009b", "f\u202eg", "h/i\u2066j/k", "l\u200f", "m\u2028n", "o\u200dp", "日本", "q\xff", "r\t"},
			[]string{"a\x1b[2Jb", "c\n", "d\x7f", "e\u009b", "f\u202eg", "h/i\u2066j/k", "l\u200f", "m\u2028n", "r\t"}},
		{"Windows' names elsewhere", posix, []string{"a:b", "aux", "c\\d", "e."}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			slices.Sort(c.list)
			n := NewNames(c.rules)
			for _, s := range c.list {
				n.See(s)
			}
			var got []string
			for _, s := range c.list {
				err := n.Check(s)
				if r := (*Refused)(nil); err != nil && !errors.As(err, &r) {
					t.Errorf("%q: %v is no refusal", s, err)
				}
				if err != nil {
					got = append(got, s)
				}
			}
			got = slices.Compact(got)
			slices.Sort(c.refused)
			if !slices.Equal(got, c.refused) {
				t.Errorf("refused %q, want %q", got, c.refused)
			}
		})
	}
}

func text(s string) func(io.Writer) (time.Time, error) {
	return func(w io.Writer) (time.Time, error) {
		_, err := io.WriteString(w, s)
		return time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC), err
	}
}

func TestPut(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "dir")
	d, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	if err := d.Put("a/b/c", false, text("one")); err != nil {
		t.Fatal(err)
	}
	if err := d.Put("a/b/c", false, text("two")); !errors.Is(err, ErrThere) {
		t.Errorf("a second file without over: %v", err)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "a/b/c")); string(got) != "one" {
		t.Errorf("the file has %q", got)
	}
	if err := d.Put("a/b/c", true, text("two")); err != nil {
		t.Fatal(err)
	}
	boom := errors.New("boom")
	if err := d.Put("a/b/c", true, func(w io.Writer) (time.Time, error) {
		_, _ = io.WriteString(w, "half")
		return time.Time{}, boom
	}); err != boom {
		t.Errorf("a failed write gives %v", err)
	}
	info, err := d.Stat("a/b/c")
	if err != nil || info.Size() != 3 || !info.ModTime().Equal(time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)) {
		t.Errorf("%v, %v", info, err)
	}
	if sum, err := d.MD5("a/b/c"); err != nil || sum != "b8a9f715dbb64fd5c56e7783c6820a61" { // of "two", by md5sum
		t.Errorf("%s, %v", sum, err)
	}
	var r *Refused
	for _, name := range []string{"a", "a/b", "a/b/c/d"} {
		if _, err := d.Stat(name); !errors.As(err, &r) {
			t.Errorf("Stat %s: %v", name, err)
		}
	}
	if err := d.Put("a/b/c/d", false, text("x")); !errors.As(err, &r) {
		t.Errorf("a file below a file: %v", err)
	}
	var names []string
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, _ error) error { names = append(names, e.Name()); return nil })
	if !slices.Equal(names, []string{"dir", "a", "b", "c"}) {
		t.Errorf("there are %v: something was left behind", names)
	}
}

// A link that comes between the look and the write leads nowhere: os.Root sees to it.
func TestPutFollowsNoLinkOutside(t *testing.T) {
	outer := t.TempDir()
	d, err := Open(filepath.Join(outer, "in"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	if err := os.Symlink("..", filepath.Join(outer, "in", "up")); err != nil {
		t.Skip(err)
	}
	if err := d.Put("up/x", true, text("x")); err == nil {
		t.Error("a file was written through a link")
	}
	for _, name := range []string{"../y", "/y", "a/../../y"} {
		if err := d.Put(name, true, text("y")); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	entries, err := os.ReadDir(outer)
	if err != nil || len(entries) != 1 {
		t.Errorf("outside there are %v, %v", entries, err)
	}
}

// Somebody turns a folder into a link to elsewhere and back, again and again, while files
// are written below it: not one leaves the directory.
func TestPutWhileLinksComeAndGo(t *testing.T) {
	outer := t.TempDir()
	outside, in := filepath.Join(outer, "outside"), filepath.Join(outer, "in")
	if err := os.Mkdir(outside, 0o755); err != nil {
		t.Fatal(err)
	}
	d, err := Open(in)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	folder, aside := filepath.Join(in, "a"), filepath.Join(in, "aside")
	if err := os.Symlink(outside, folder); err != nil {
		t.Skip(err)
	}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Remove(folder) // a link, or nothing: a folder with files stays
			_ = os.Rename(folder, fmt.Sprint(aside, time.Now().UnixNano()))
			_ = os.Symlink(outside, folder)
			time.Sleep(50 * time.Microsecond)
			_ = os.Remove(folder)
			time.Sleep(50 * time.Microsecond)
		}
	}()
	written, refused := 0, 0
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end) && (written < 200 || refused < 200); {
		for _, name := range []string{fmt.Sprintf("a/%d", written+refused), fmt.Sprintf("a/b/%d", written+refused)} {
			if _, err := d.Stat(name); err != nil {
				refused++
				continue
			}
			if err := d.Put(name, written%2 == 0, text("x")); err != nil {
				refused++
			} else {
				written++
			}
		}
		if _, err := d.MD5("a/secret"); err == nil {
			t.Fatal("a file outside was read")
		}
	}
	close(stop)
	<-done
	if written == 0 || refused == 0 {
		t.Errorf("%d written, %d refused: nothing was tried", written, refused)
	}
	entries, err := os.ReadDir(outside)
	if err != nil || len(entries) > 0 {
		t.Errorf("outside there are %v, %v", entries, err)
	}
}

// Look makes nothing, and takes what is not there for empty.
func TestLook(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	d, err := Look(dir)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := d.Stat("a"); info != nil || err != nil || d.Close() != nil {
		t.Errorf("%v, %v", info, err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Error("it was made")
	}
}

func TestFull(t *testing.T) {
	full := plain(&fs.PathError{Op: "write", Path: ".provcat-X.part", Err: syscall.ENOSPC})
	if !Full(fmt.Errorf("x: %w", full)) || strings.Contains(full.Error(), "part") {
		t.Errorf("%v", full)
	}
	if Full(plain(&fs.PathError{Op: "open", Path: "x", Err: syscall.EACCES})) {
		t.Error("a forbidden file is no full disk")
	}
}

// Whatever passes Check stays below the directory, by the standard library's judgement.
func FuzzCheck(f *testing.F) {
	for _, s := range []string{"a/b", "../a", "a//b", "/", "", "a\\..\\b", "nul", "\x00", "a/./b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if posix.Check(name) == nil && !filepath.IsLocal(name) {
			t.Errorf("%q passes", name)
		}
		if windowz.Check(name) == nil && posix.Check(name) != nil {
			t.Errorf("%q passes only where more is refused", name)
		}
		if got := prefixes(name); got[len(got)-1] != strings.TrimSuffix(name, "/") {
			t.Errorf("%q ends its prefixes %q", name, got)
		}
		if fold(name) != fold(strings.Clone(fold(name))) {
			t.Errorf("folding %q twice gives another form", name)
		}
	})
}
