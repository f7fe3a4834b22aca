package state

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
)

func open(t *testing.T) (*State, *[]string) {
	t.Helper()
	var warned []string
	s := Open(filepath.Join(t.TempDir(), "deep", "provcat-tui", "state.json"), func(what string, err error) {
		warned = append(warned, fmt.Sprintf("%s: %v", what, err))
	})
	return s, &warned
}

func TestRecent(t *testing.T) {
	s, warned := open(t)
	if s.Recent() != nil || s.Last() != "" || s.Commands() != nil {
		t.Errorf("of nothing: %v, %q, %v", s.Recent(), s.Last(), s.Commands())
	}
	for i := range 25 {
		s.Visited(fmt.Sprintf("s3://b/%d", i))
	}
	s.Visited("s3://b/10")
	got := s.Recent()
	if len(got) != 20 || got[0] != "s3://b/10" || got[1] != "s3://b/24" || got[19] != "s3://b/5" {
		t.Errorf("%v", got)
	}
	s.Left("provcat-tui s3://b/sales --log")
	if got := s.Last(); got != "provcat-tui s3://b/sales --log" {
		t.Errorf("%q", got)
	}
	if len(s.Recent()) != 20 || len(*warned) > 0 {
		t.Errorf("%v, %v", s.Recent(), *warned)
	}
	for path, want := range map[string]os.FileMode{s.path: 0o600, filepath.Dir(s.path): 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
}

func TestCommands(t *testing.T) {
	s, _ := open(t)
	for i := range 205 {
		s.Typed(fmt.Sprintf("log %d", i))
	}
	s.Typed("log 100")
	got := s.Commands()
	if len(got) != 200 || got[0] != "log 5" || got[199] != "log 100" || got[198] != "log 204" {
		t.Errorf("%d: %q … %q", len(got), got[:3], got[len(got)-3:])
	}
}

// Nothing that may be a credential is written down.
func TestNoCredentials(t *testing.T) {
	s, _ := open(t)
	for _, text := range []string{
		"https://ana:hunter2@example.com/b", "open s3://ana:hunter2@b/x", "provcat-tui s3://b --endpoint 'http://u:hunter2@h:9'",
		"https://b.s3.amazonaws.com/k?X-Amz-Signature=hunter2", "open https://x/y?sig=hunter2",
		"a\nhunter2", "a\x00hunter2", strings.Repeat("hunter2", 1000), "\xffhunter2", "",
	} {
		s.Visited(text)
		s.Left(text)
		s.Typed(text)
	}
	if data, err := os.ReadFile(s.path); err == nil {
		t.Errorf("written: %s", data)
	}
	// What merely looks a little like one is kept.
	for _, text := range []string{"open s3://b/user@example.com/x", "at head@1", "log a?b", "commit 5 # ana@example.com"} {
		s.Typed(text)
	}
	if got := s.Commands(); len(got) != 4 {
		t.Errorf("%q", got)
	}
}

// A file that cannot be understood is kept aside, and what comes next is remembered.
func TestBrokenFile(t *testing.T) {
	s, warned := open(t)
	s.Visited("s3://a")
	if err := os.WriteFile(s.path, []byte("rubbish"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := s.Recent(); got != nil || len(*warned) != 1 {
		t.Errorf("%v, %v", got, *warned)
	}
	s.Visited("s3://c")
	if got := s.Recent(); !reflect.DeepEqual(got, []string{"s3://c"}) {
		t.Errorf("%v", got)
	}
	if data, err := os.ReadFile(s.path + ".broken"); err != nil || string(data) != "rubbish" {
		t.Errorf("%q, %v", data, err)
	}
	// What cannot be written costs nothing.
	none := Open("/dev/null/x/state.json", func(string, error) {})
	none.Visited("s3://a")
	if none.Recent() != nil {
		t.Error("remembered nowhere")
	}
}

// Programs that run side by side don't lose each other's entries.
func TestSideBySide(t *testing.T) {
	s, _ := open(t)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			one := Open(s.path, s.warn)
			for j := range 10 {
				one.Typed(fmt.Sprintf("log %d-%d", i, j))
			}
		})
	}
	wg.Wait()
	if got := s.Commands(); len(got) != 80 {
		t.Errorf("%d commands of 80", len(got))
	}
}

// Whatever the file holds is read without harm, and what is given is fit to be kept.
func FuzzParse(f *testing.F) {
	for _, x := range []string{"", "{}", `{"recent":["s3://a"],"last":"x","commands":["a"]}`, `{"recent":[null]}`, `{"commands":["https://a:b@c"]}`, "[]"} {
		f.Add([]byte(x))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := parse(data)
		if err != nil {
			return
		}
		for _, x := range append(append(got.Recent, got.Commands...), got.Last) {
			if x != "" && !keepable(x) || len(got.Recent) > maxRecent || len(got.Commands) > maxCommands {
				t.Errorf("%q", x)
			}
		}
		// What is written next says the same.
		again, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := parse(again); err != nil || !slices.Equal(back.Recent, got.Recent) || !slices.Equal(back.Commands, got.Commands) || back.Last != got.Last {
			t.Errorf("%q: %+v, then %+v, %v", data, got, back, err)
		}
	})
}
