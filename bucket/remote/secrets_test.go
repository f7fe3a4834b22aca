package remote

import (
	"fmt"
	"strings"
	"testing"
)

// What was made known is hidden wherever it stands, also percent-encoded and cut off.
func TestHide(t *testing.T) {
	s := &Secrets{}
	s.Add("mark/one+two 7713", "short", "")
	for _, text := range []string{
		"mark/one+two 7713", "x mark%2Fone%2Btwo+7713 y", "mark%2Fone+two%207713", Clip(strings.Repeat("x", 590) + "mark/one+two 7713"),
	} {
		if got := s.Hide(text); strings.Contains(got, "mark") || !strings.Contains(got, "(hidden)") {
			t.Errorf("%q: %q", text, got)
		}
	}
	if got := s.Hide("a short one"); got != "a short one" {
		t.Errorf("%q: a word of five letters is no secret", got)
	}
	var none *Secrets
	none.Add("whatever it is")
	if got := none.Hide("whatever it is"); got != "whatever it is" {
		t.Errorf("%q", got)
	}
	for i := range 200 { // the newest stay known
		s.Add(fmt.Sprintf("secret number %d", i))
	}
	if got := s.Hide("secret number 199"); got != "(hidden)" || len(s.known) != mostSecrets {
		t.Errorf("%q, %d known", got, len(s.known))
	}
}

func TestEndpoint(t *testing.T) {
	for given, good := range map[string]bool{
		"https://host": true, "http://127.0.0.1:9000": true, "https://host/path/": true,
		"": false, "host:9000": false, "ftp://host": false, "https://": false, "https://ana@host": false, "https://ana:pw@host": false,
		"https://host?x=1": false, "https://host#x": false, "ana:pw@host": false, "https://ana:pw@%zz": false,
	} {
		_, err := Endpoint("--endpoint", given)
		if (err == nil) != good {
			t.Errorf("%q: %v", given, err)
		}
		if err != nil && (strings.Contains(err.Error(), "pw") || strings.Contains(err.Error(), "ana")) {
			t.Errorf("%q: %v", given, err)
		}
	}
}
