package s3

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

	"github.com/aws/aws-sdk-go-v2/config"
)

// A netError is a failure before any answer, in words.
type netError struct{ text, hint string }

// network tells what failed on the way to the store. Empty: not a network error.
func network(err error) netError {
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
		return netError{"interrupted", ""}
	case errors.As(err, &dns):
		return netError{fmt.Sprintf("the name %s is not known (%s)", dns.Name, dns.Err),
			"check the endpoint, the region and the network; for a store without names for its buckets use --path-style"}
	case errors.Is(err, syscall.ECONNREFUSED):
		return netError{host + " refused the connection", "check that the store runs and that --endpoint has its port"}
	case errors.As(err, &authority):
		return netError{"the TLS certificate of " + host + " is signed by nobody that this machine trusts", "name its authority's file in AWS_CA_BUNDLE"}
	case errors.As(err, &hostname):
		return netError{"the TLS certificate is not for " + host, "check --endpoint; with dots in the bucket's name use --path-style"}
	case errors.As(err, &invalid) || errors.As(err, &verification):
		return netError{"the TLS certificate of " + host + " is not valid: " + last(err), "check its dates and this machine's clock"}
	case errors.As(err, &record) || strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return netError{host + " does not speak TLS", "use http:// in the endpoint"}
	case errors.As(err, &alert):
		return netError{"TLS with " + host + " failed: " + last(err), "check --endpoint and any proxy on the way"}
	case isTimeout(err):
		return netError{"no answer from " + host + " in time", "check the network, any proxy, and that the endpoint is reachable from here"}
	case errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE):
		return netError{host + " broke the connection off", "try again"}
	case errors.As(err, &op) && op.Op == "dial":
		return netError{host + " cannot be reached: " + last(op), "check --endpoint and the network"}
	case errors.As(err, &u):
		return netError{"the connection to " + host + " failed: " + last(u), "try again; check --endpoint and the network"}
	}
	return netError{}
}

func isTimeout(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}

// last is the innermost error's text.
func last(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return clip(err.Error())
		}
		err = inner
	}
}

// noCredentials tells why there are no credentials, and how to get some.
func noCredentials(err error) (why, hint string) {
	text := strings.ToLower(err.Error())
	var profile config.SharedConfigProfileNotExistError
	switch {
	case errors.As(err, &profile):
		return "no such profile", "see \"aws configure list-profiles\""
	case strings.Contains(text, "sso") || strings.Contains(text, "expired"):
		return "the sign-in has expired", hintSignIn
	case strings.Contains(text, "imds") || strings.Contains(text, "ec2"):
		return "no credentials were found", "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, name a --profile, or sign in with \"aws sso login\""
	}
	return "no credentials could be had", hintKeys
}
