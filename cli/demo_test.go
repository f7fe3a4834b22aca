package cli

import (
	"path/filepath"
	"testing"
)

func TestDemoPrint(t *testing.T) {
	home := isolate(t)
	url := "file://" + filepath.Join(home, "data", "provcat-tui", "demo.bucket")
	r := cli("demo", "--print").wants(t, 0)
	r.prints(t, url+"\n")
	r.says(t, "making the demo bucket", "demo.bucket")
	// It is there now: nothing is made, and nothing said.
	again := cli("demo", "--print").wants(t, 0)
	again.prints(t, url+"\n")
	if again.err != "" {
		t.Errorf("%q", again.err)
	}
	var d struct {
		Schema, URL string
		Made        *bool
	}
	cli("demo", "--print", "--format", "json").wants(t, 0).json(t, &d)
	if d.Schema != "provcat-demo/1" || d.URL != url || d.Made == nil || *d.Made {
		t.Errorf("%+v", d)
	}
	cli("demo").wants(t, 2).says(t, "needs a terminal")
	cli("demo", "--format", "json").wants(t, 2).says(t, "--print")
	cli("ls", url).wants(t, 0)
}
