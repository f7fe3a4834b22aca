package histories

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A proxy stands between one process and the store, and does to requests what networks
// and stores do. Which request meets what is decided by its seed and the order of the
// requests.
type proxy struct {
	*httptest.Server
	to   string
	rate float64 // of requests that meet a fault

	mu     sync.Mutex // guards what follows
	random *rand.Rand
	asked  int
	met    map[string]int // faults, by name
	sins   []string       // writes that the format does not allow
}

// The faults. Those whose name starts with "after" come when the store has done its part.
var faultNames = []string{"drop", "reset", "409", "500", "503", "delay", "after drop", "after reset", "after 500", "after 503", "after cut", "after delay"}

func newProxy(to string, rate float64, random *rand.Rand) *proxy {
	p := &proxy{to: to, rate: rate, random: random, met: map[string]int{}}
	p.Server = httptest.NewUnstartedServer(p)
	p.Config.ErrorLog = nil
	p.Start()
	return p
}

// opening is how many requests go well at first: a process that cannot open the bucket
// does nothing that could be checked.
const opening = 3

// fate draws what a request meets; empty: nothing.
func (p *proxy) fate() (name string, wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked++
	if p.asked <= opening || p.random.Float64() >= p.rate {
		return "", 0
	}
	name = faultNames[p.random.IntN(len(faultNames))]
	p.met[name]++
	return name, time.Duration(p.random.IntN(20)) * time.Millisecond
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the process was killed while it sent
	}
	p.judge(r, body)
	name, wait := p.fate()
	switch name {
	case "drop":
		panic(http.ErrAbortHandler)
	case "reset":
		reset(w)
		return
	case "409", "500", "503":
		refuse(w, name)
		return
	case "delay":
		time.Sleep(wait)
	}
	got, err := p.pass(r, body)
	if err != nil {
		panic(http.ErrAbortHandler) // the store itself broke off
	}
	switch name {
	case "after drop":
		panic(http.ErrAbortHandler)
	case "after reset":
		reset(w)
		return
	case "after 500", "after 503":
		refuse(w, strings.TrimPrefix(name, "after "))
		return
	case "after delay":
		time.Sleep(wait)
	}
	for k, v := range got.header {
		w.Header()[k] = v
	}
	if r.Method != http.MethodHead {
		w.Header().Set("Content-Length", strconv.Itoa(len(got.body)))
	}
	w.WriteHeader(got.status)
	if name == "after cut" && len(got.body) > 0 {
		_, _ = w.Write(got.body[:len(got.body)/2]) // the process may be gone
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	_, _ = w.Write(got.body) // the process may be gone
}

// An answer is the store's.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// pass sends a request on as it is: its Host is part of what the process signed.
func (p *proxy) pass(r *http.Request, body []byte) (a answer, err error) {
	out, err := http.NewRequest(r.Method, p.to, bytes.NewReader(body))
	if err != nil {
		return a, err
	}
	out.URL.Path, out.URL.RawPath, out.URL.RawQuery = r.URL.Path, r.URL.RawPath, r.URL.RawQuery
	out.Host, out.Header = r.Host, r.Header.Clone()
	res, err := transport.RoundTrip(out)
	if err != nil {
		return a, err
	}
	a.status, a.header = res.StatusCode, res.Header
	a.body, err = io.ReadAll(res.Body)
	return a, errors.Join(err, res.Body.Close())
}

var transport = &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}

// judge notes writes that the format has no place for: nothing under .provcat/ is
// deleted, and nothing is created there but with put-if-absent.
func (p *proxy) judge(r *http.Request, body []byte) {
	// Cloud Storage's uploads name the object in the body's first part.
	if named := r.URL.Path + r.URL.RawQuery + string(body[:min(len(body), 1000)]); !strings.Contains(named, ".provcat") ||
		r.Method == http.MethodGet || r.Method == http.MethodHead {
		return
	}
	absent := r.Header.Get("If-None-Match") == "*" || r.URL.Query().Get("ifGenerationMatch") == "0"
	if r.Method == http.MethodDelete || !absent {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.sins = append(p.sins, r.Method+" "+r.URL.String())
	}
}

func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if t, ok := conn.(*net.TCPConn); ok {
		_ = t.SetLinger(0) // without it the connection is closed in good order
	}
	_ = conn.Close()
}

// refuse answers as a gateway before the store does: without the store's own words.
func refuse(w http.ResponseWriter, status string) {
	code, err := strconv.Atoi(status)
	if err != nil {
		panic(err)
	}
	http.Error(w, fmt.Sprintf("the gateway says %d", code), code)
}
