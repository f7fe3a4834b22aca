package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"provcat-tui/commit"
)

// A commit that this program cannot read, with the hash that it should have, is unknown and
// no damage: for commit as for the audit, in words and by the exit code.
func TestCommitOnAnUnknownFormat(t *testing.T) {
	for name, body := range map[string]string{
		"a time that is none":           `{"folder":"sales","parent":null,"time":"-1","files":[]}`,
		"a time that cannot be written": `{"folder":"sales","parent":null,"time":"9999-12-31T23:59:59-12:00","files":[]}`,
		"another format":                `{"format":"provcat/2","folder":"sales","parent":null,"time":"2026-01-01T00:00:00Z","files":[]}`,
		"no files":                      `{"folder":"sales","parent":null,"time":"2026-01-01T00:00:00Z"}`,
		"a file without a version":      `{"folder":"sales","parent":null,"time":"2026-01-01T00:00:00Z","files":[{"path":"a"}]}`,
		"no JSON":                       `commit 1`,
	} {
		t.Run(name, func(t *testing.T) {
			onEachStore(t, func(t *testing.T, s *storeTest) {
				s.put("sales/a", "one")
				sum := sha256.Sum256([]byte(body))
				id := hex.EncodeToString(sum[:])
				s.put(commit.CommitKey(id), body)
				s.put(commit.EntryKey("sales", 1), id)
				for _, dry := range [][]string{nil, {"--dry-run"}} {
					r := s.cli(append([]string{"commit", s.at("sales"), "-m", "x", "--format", "json"}, dry...)...).wants(t, 3)
					r.says(t, "number 1 ("+id[:10]+"), could not be checked: its hash is right, but it is not a commit object that this program can read")
					if strings.Contains(r.err, "damaged") || !strings.Contains(r.out, `"committed":false`) || !strings.Contains(r.out, `"reason":"unknown-format"`) {
						t.Errorf("%s%s", r.out, r.err)
					}
				}
				if r := s.cli("audit", s.url, "--folder", "sales").wants(t, 3); !strings.Contains(r.out, "commit-format-unknown") {
					t.Errorf("%s", r.out)
				}
				s.cli("show", s.at("sales"), "2").wants(t, 2) // nothing was committed
			})
		})
	}
}
