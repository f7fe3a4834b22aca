package remote

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"

	"provcat-tui/internal/safe"
)

// Secrets are the credentials that a driver has used so far, so that no text that comes
// back can carry them to a screen. All methods may be called from several goroutines,
// and on nil.
type Secrets struct {
	mu    sync.Mutex
	known []string
}

// shortest secret: a shorter word would be cut out of texts that only hold it by chance.
const shortest = 8

// mostSecrets: credentials change while a program runs, but old ones are of no use soon.
const mostSecrets = 64

// Add makes credentials known.
func (s *Secrets) Add(values ...string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range values {
		if len(v) < shortest || slices.Contains(s.known, v) {
			continue
		}
		s.known = append(s.known[max(len(s.known)-mostSecrets+1, 0):], v)
	}
}

// Hide gives a text without these credentials, and without what looks like one.
func (s *Secrets) Hide(text string) string {
	if text == "" {
		return ""
	}
	text = safe.Secrets(text)
	if s != nil {
		s.mu.Lock()
		known := s.known
		s.mu.Unlock()
		for _, v := range known {
			for _, form := range []string{v, url.QueryEscape(v), url.PathEscape(v)} {
				text = cut(strings.ReplaceAll(text, form, "(hidden)"), form)
			}
		}
	}
	return text
}

// cut takes off the beginning of a secret at the end of a text that Clip has shortened.
func cut(text, secret string) string {
	body, clipped := strings.CutSuffix(text, "…")
	if !clipped {
		return text
	}
	for n := min(len(secret), len(body)); n >= shortest; n-- {
		if strings.HasSuffix(body, secret[:n]) {
			return body[:len(body)-n] + "(hidden)…"
		}
	}
	return text
}

// Endpoint reads the URL of a server that a person gave. One that holds a user, a
// password or a query is refused, and no error tells them: credentials have their own
// ways, and an endpoint is shown on screens and kept in the history.
func Endpoint(name, given string) (*url.URL, error) {
	u, err := url.Parse(given)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("%s %q is not an http or https URL", name, safe.Endpoint(given))
	case u.User != nil || strings.Contains(given, "@"):
		return nil, fmt.Errorf("%s %q is not an http or https URL alone: it holds a user or a password, which belong into the credentials and nowhere else", name, safe.Endpoint(given))
	case u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("%s %q is not an http or https URL alone: it has a query", name, safe.Endpoint(given))
	}
	return u, nil
}

// Plain is what a person should know of a server that is reached over plain HTTP; empty:
// it isn't, or it is this machine's own. what goes over the wire besides the answers:
// "the signature of each request".
func Plain(u *url.URL, what string) string {
	if u == nil || u.Scheme != "http" || loopback(u.Hostname()) {
		return ""
	}
	return fmt.Sprintf("plain HTTP to %s: use https:// if the server has it, for whoever is on the way can read and change %s", safe.Text(u.Host), what)
}

// loopback says that a host is this machine.
func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") || strings.HasSuffix(strings.ToLower(host), ".localhost") { // RFC 6761
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.Unmap().IsLoopback()
}

// NoRedirect is the CheckRedirect of a client of a store: what is signed, or carries a
// token, is for the server that was named, and what another one answers is not its answer.
func NoRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
