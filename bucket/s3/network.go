package s3

import (
	"errors"
	"strings"

	"github.com/aws/aws-sdk-go-v2/config"

	"provcat-tui/bucket/remote"
)

// network tells what failed on the way to the store. Empty: not a network error.
func network(err error) remote.Trouble {
	return remote.Network(err, remote.Advice{
		Name:      "check the endpoint, the region and the network; for a store without names for its buckets use --path-style",
		Authority: "name its authority's file in AWS_CA_BUNDLE",
		Hostname:  "check --endpoint; with dots in the bucket's name use --path-style",
	})
}

// spoken is what the search for credentials said, without the output of a
// credential_process that the SDK could not read and puts into its error whole: it may
// hold keys in any form.
func spoken(err error) string {
	const before, after = "process output: ", ", error: "
	text := err.Error()
	i, j := strings.Index(text, before), strings.LastIndex(text, after)
	if i < 0 || j < i {
		return text
	}
	return text[:i+len(before)] + "(not shown)" + text[j:]
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
