package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
	"time"
)

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{
		-1: "?", 0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 1536: "1.5 KiB",
		1048575: "1.0 MiB", 1048576: "1.0 MiB", 5 << 30: "5.0 GiB", 1<<63 - 1: "8.0 EiB",
	} {
		if got := size(n); got != want {
			t.Errorf("size(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestNumber(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1048576: "1,048,576", -1234: "-1,234"} {
		if got := number(n); got != want {
			t.Errorf("number(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestPadCountsColumns(t *testing.T) {
	// 日 is two columns wide; e and a combining accent are one.
	for s, want := range map[string]string{"ab": "ab  ", "日": "日  ", "e\u0301": "e\u0301   ", "abcde": "abcde"} {
		if got := pad(s, 4); got != want {
			t.Errorf("pad(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestFirstLine(t *testing.T) {
	for s, want := range map[string]string{
		"one": "one", "one\ntwo": "one …", "\n\n one\n": "one", "a\x1b[2Jb": `a\x1b[2Jb`, "1234567890123": "123456789…",
	} {
		if got := firstLine(s, 10); got != want {
			t.Errorf("firstLine(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestParseTime(t *testing.T) {
	for s, want := range map[string]time.Time{
		"2026-10-30T12:34:56.5Z":    time.Date(2026, 10, 30, 12, 34, 56, 5e8, time.UTC),
		"2026-10-30T12:00Z":         time.Date(2026, 10, 30, 12, 0, 0, 0, time.UTC),
		"2026-10-30T12:00+02:00":    time.Date(2026, 10, 30, 10, 0, 0, 0, time.UTC),
		"2026-10-30T12:00:00+02:00": time.Date(2026, 10, 30, 10, 0, 0, 0, time.UTC),
		"2026-10-30 12:00Z":         time.Date(2026, 10, 30, 12, 0, 0, 0, time.UTC),
		"2026-10-30":                time.Date(2026, 10, 30, 0, 0, 0, 0, time.UTC),
	} {
		got, err := parseTime(s)
		if err != nil || !got.Equal(want) {
			t.Errorf("parseTime(%q) = %v, %v, want %v", s, got, err, want)
		}
	}
	for _, s := range []string{"", "now", "2026-10-30T12:00", "2026-13-01", "30.10.2026"} {
		if _, err := parseTime(s); !errors.Is(err, errUsage) {
			t.Errorf("parseTime(%q): %v, want wrong usage", s, err)
		}
	}
}

func TestDocumentIsValidWhateverHappens(t *testing.T) {
	for name, write := range map[string]func(*document) error{
		"nothing in it": func(d *document) error { d.array("items"); return d.finish(nil) },
		"cut short": func(d *document) error {
			d.member("a", 1)
			d.array("items")
			_ = d.item("x\x1b\u202e")
			_ = d.item("y")
			return d.finish(errors.New("read failed\x1b"))
		},
		"no array": func(d *document) error { d.member("a", nil); return d.close() },
		"two arrays": func(d *document) error {
			d.array("a")
			d.array("b")
			_ = d.item(1)
			return d.close()
		},
	} {
		var buf bytes.Buffer
		err := write(newDocument(&buf, "test/1"))
		if (err != nil) != (name == "cut short") {
			t.Errorf("%s: error %v", name, err)
		}
		var got map[string]any
		if jerr := json.Unmarshal(buf.Bytes(), &got); jerr != nil {
			t.Errorf("%s: %v in %s", name, jerr, buf.String())
		}
		if got["schema"] != "test/1" {
			t.Errorf("%s: schema %v", name, got["schema"])
		}
		if bytes.ContainsAny(buf.Bytes(), "\x1b\u202e") {
			t.Errorf("%s: raw control characters in %q", name, buf.String())
		}
		if name == "cut short" && (got["complete"] != false || got["error"] != "read failed\x1b" || len(got["items"].([]any)) != 2) {
			t.Errorf("cut short: %v", got)
		}
	}
}

func TestVisible(t *testing.T) {
	const in = "a\tb\\c\n\x1b[31mred\r\xff 日本"
	const want = "a\tb\\c\n\\x1b[31mred\\r\\xff 日本"
	for step := 1; step <= len(in); step++ { // characters cut at every place
		var buf bytes.Buffer
		v := &visible{w: &buf}
		for i := 0; i < len(in); i += step {
			if _, err := v.Write([]byte(in[i:min(i+step, len(in))])); err != nil {
				t.Fatal(err)
			}
		}
		if err := v.flush(); err != nil {
			t.Fatal(err)
		}
		if buf.String() != want {
			t.Errorf("in steps of %d: %q, want %q", step, buf.String(), want)
		}
	}
}

func FuzzVisible(f *testing.F) {
	f.Add("plain\n", 1)
	f.Add("\x1b[31m\u202e\xff\xf0\x9f", 2)
	f.Fuzz(func(t *testing.T, in string, step int) {
		step = max(1, min(step, 64))
		var buf bytes.Buffer
		v := &visible{w: &buf}
		for i := 0; i < len(in); i += step {
			if _, err := v.Write([]byte(in[i:min(i+step, len(in))])); err != nil {
				t.Fatal(err)
			}
		}
		if err := v.flush(); err != nil {
			t.Fatal(err)
		}
		if buf.String() != escapeText(in) {
			t.Errorf("in steps of %d: %q, at once: %q", step, buf.String(), escapeText(in))
		}
		for _, r := range buf.String() {
			if r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 {
				t.Errorf("%U in the output of %q", r, in)
			}
		}
	})
}
