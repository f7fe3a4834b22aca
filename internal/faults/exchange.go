package faults

import (
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"
)

// An Exchanger is one request on its way to its answer, as the server around
// this package sees it. It embeds an Exchange.
type Exchanger interface {
	// Parse takes the request apart and fills Req. It gives the answer to one that
	// cannot be understood, or nil.
	Parse() *Answer
	// Apply does what the request asks for.
	Apply() *Answer
	// Sign adds what every answer of the server carries, such as its Date.
	Sign(h http.Header)

	// Base is the embedded Exchange.
	Base() *Exchange
}

// An Exchange is what every server's exchange has.
type Exchange struct {
	R    *http.Request
	Body []byte  // as sent
	Req  Request // for the log; set by Parse

	s       *Server
	answer  *Answer // nil: not known yet
	settled bool    // by a fault
	end     ending
	cut     int    // bytes of the answer's body to keep back; the connection breaks
	later   func() // set going when the connection ends: see Late
	foreign bool   // the answer is not the server's: it does not sign it
}

// Base is x itself.
func (x *Exchange) Base() *Exchange { return x }

// Settle sets the answer, in place of the one that applying gave. The first
// fault that does so counts.
func (x *Exchange) Settle(a *Answer) {
	if !x.settled {
		x.settled, x.answer = true, a
	}
}

// ending is how the connection ends without an answer.
type ending int

const (
	answered ending = iota
	dropped         // closed in good order
	reset           // TCP RST
)

// An Answer is a whole HTTP response. A Content-Length in its header stands as it
// is; "-" means that none is sent, and the body goes out in chunks.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Serve reads the request and sees it through: faults, hooks, Parse and Apply,
// log, answer.
func (s *Server) Serve(w http.ResponseWriter, r *http.Request, x Exchanger) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has gone
	}
	left := context.AfterFunc(r.Context(), func() { s.gone.Add(1) })
	defer left()
	b := x.Base()
	b.R, b.Body, b.s = r, body, s
	problem := x.Parse()
	actions := s.matching(b.Req)
	for _, f := range s.hooks(false) {
		f(b.Req)
	}
	run(x, actions, false)
	if b.end == answered && b.answer == nil {
		if problem != nil {
			b.answer = problem
		} else {
			b.answer = x.Apply()
		}
	}
	if b.answer != nil {
		b.Req.Status = b.answer.Status
	}
	for _, f := range s.hooks(true) {
		f(b.Req)
	}
	run(x, actions, true)
	b.Req.Status = 0
	if b.end == answered {
		b.Req.Status = b.answer.Status
	}
	s.mu.Lock()
	s.log = append(s.log, b.Req)
	s.mu.Unlock()
	b.send(w, x.Sign)
}

func run(x Exchanger, actions []Action, applied bool) {
	for _, a := range actions {
		if a.applied == applied && x.Base().end == answered {
			a.do(x)
		}
	}
}

// send writes the answer out, or ends the connection without one.
func (x *Exchange) send(w http.ResponseWriter, sign func(http.Header)) {
	if x.later != nil {
		x.later() // nothing else looks at x from here on
	}
	switch x.end {
	case dropped:
		panic(http.ErrAbortHandler) // the server closes the connection
	case reset:
		breakOff(w)
		return
	}
	a, h := x.answer, w.Header()
	if !x.foreign {
		sign(h)
	}
	for name, values := range a.Header { // also in place of what is signed
		h[name] = values
	}
	bodiless := x.R.Method == "HEAD" || a.Status == 204 || a.Status == 304
	chunked := false
	switch length := h.Get("Content-Length"); {
	case length == "-":
		chunked = true
		h.Del("Content-Length")
	case length == "" && a.Status != 204 && a.Status != 304 && (x.R.Method != "HEAD" || a.Status < 300):
		h.Set("Content-Length", strconv.Itoa(len(a.Body)))
	}
	w.WriteHeader(a.Status)
	if bodiless {
		return
	}
	if chunked { // without this net/http counts a short body by itself
		if err := http.NewResponseController(w).Flush(); err != nil {
			return
		}
	}
	body := a.Body[:max(0, len(a.Body)-x.cut)]
	if _, err := w.Write(body); err != nil {
		return // the client has gone
	}
	if x.cut > 0 {
		if err := http.NewResponseController(w).Flush(); err != nil {
			return
		}
		panic(http.ErrAbortHandler)
	}
}

// breakOff resets the connection: what the other side reads is an error.
func breakOff(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	raw := conn
	if t, ok := conn.(interface{ NetConn() net.Conn }); ok {
		raw = t.NetConn()
	}
	if t, ok := raw.(*net.TCPConn); ok {
		_ = t.SetLinger(0) // without it the connection is closed in good order
	}
	_ = raw.Close() // nothing to do about a failure
}

// wait sleeps, but not longer than the server or the client lives.
func (x *Exchange) wait(d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-x.s.closed:
		x.end = dropped // a server that has gone answers nothing
	case <-x.R.Context().Done():
	}
}
