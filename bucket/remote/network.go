package remote

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"syscall"
)

// A Trouble is a failure before any answer, in words: what happened, and what a
// person can do about it.
type Trouble struct{ Text, Hint string }

// Advice is what a kind of store has people check.
type Advice struct {
	Name      string // where a host's name is not known
	Authority string // where nobody vouches for its certificate
	Hostname  string // where the certificate is another host's
}

// Network tells what failed on the way to the store. Empty: not a network error.
func Network(err error, a Advice) Trouble {
	host := "the endpoint"
	var u *url.Error
	if errors.As(err, &u) {
		if parsed, perr := url.Parse(u.URL); perr == nil && parsed.Host != "" {
			host = parsed.Host
		}
	}
	var dns *net.DNSError
	var authority x509.UnknownAuthorityError
	var hostname x509.HostnameError
	var invalid x509.CertificateInvalidError
	var verification *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	var op *net.OpError
	switch {
	case errors.Is(err, context.Canceled):
		return Trouble{"interrupted", ""}
	case errors.As(err, &dns):
		return Trouble{fmt.Sprintf("the name %s is not known (%s)", dns.Name, dns.Err),
			a.Name}
	case errors.Is(err, syscall.ECONNREFUSED):
		return Trouble{host + " refused the connection", "check that the store runs and that --endpoint has its port"}
	case errors.As(err, &authority):
		return Trouble{"the TLS certificate of " + host + " is signed by nobody that this machine trusts", a.Authority}
	case errors.As(err, &hostname):
		return Trouble{"the TLS certificate is not for " + host, a.Hostname}
	case errors.As(err, &invalid) || errors.As(err, &verification):
		return Trouble{"the TLS certificate of " + host + " is not valid: " + Last(err), "check its dates and this machine's clock"}
	case errors.As(err, &record) || strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return Trouble{host + " does not speak TLS", "use http:// in the endpoint"}
	case errors.As(err, &alert):
		return Trouble{"TLS with " + host + " failed: " + Last(err), "check --endpoint and any proxy on the way"}
	case timedOut(err):
		return Trouble{"no answer from " + host + " in time", "check the network, any proxy, and that the endpoint is reachable from here"}
	case errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE):
		return Trouble{host + " broke the connection off", "try again"}
	case errors.As(err, &op) && op.Op == "dial":
		return Trouble{host + " cannot be reached: " + Last(op), "check --endpoint and the network"}
	case errors.As(err, &u):
		return Trouble{"the connection to " + host + " failed: " + Last(u), "try again; check --endpoint and the network"}
	}
	return Trouble{}
}

func timedOut(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}

// Last is the innermost error's text.
func Last(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return Clip(err.Error())
		}
		err = inner
	}
}

// Clip bounds what a store may put into an error.
func Clip(s string) string {
	const most = 600
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// Lasting says that a failure on the way will be the same the next time: a
// certificate that isn't good, a server that doesn't speak TLS.
func Lasting(err error) bool {
	var authority x509.UnknownAuthorityError
	var hostname x509.HostnameError
	var invalid x509.CertificateInvalidError
	var verification *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	return errors.As(err, &authority) || errors.As(err, &hostname) || errors.As(err, &invalid) || errors.As(err, &verification) ||
		errors.As(err, &record) || errors.As(err, &alert) || strings.Contains(err.Error(), "server gave HTTP response to HTTPS client")
}
