package cli

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"provcat-tui/internal/fakegcs"
	"provcat-tui/internal/fakes3"
)

// A grant is one action on one resource: the bucket (empty) or a pattern of keys.
type grant struct{ action, on string }

// policies are the JSON documents of docs/permissions.md, by the heading above each.
func policies(t *testing.T) map[string][]grant {
	t.Helper()
	page, err := os.ReadFile("../docs/permissions.md")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]grant{}
	for _, m := range regexp.MustCompile("(?s)\n### ([^\n]+)\n.*?```json\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		var doc struct {
			Version   string
			Statement []struct {
				Effect           string
				Action, Resource []string
			}
			Permissions []string `json:"includedPermissions"`
		}
		if err := json.Unmarshal([]byte(m[2]), &doc); err != nil {
			t.Fatalf("%s: %v", m[1], err)
		}
		for _, p := range doc.Permissions {
			out[m[1]] = append(out[m[1]], grant{p, ""})
		}
		for _, s := range doc.Statement {
			if doc.Version != "2012-10-17" {
				t.Errorf("%s: the version is %q", m[1], doc.Version)
			}
			if s.Effect != "Allow" {
				continue
			}
			for _, a := range s.Action {
				for _, r := range s.Resource {
					rest, ok := strings.CutPrefix(r, "arn:aws:s3:::BUCKET")
					if !ok {
						t.Errorf("%s: the resource %s", m[1], r)
					}
					out[m[1]] = append(out[m[1]], grant{a, strings.TrimPrefix(rest, "/")})
				}
			}
		}
	}
	return out
}

// needs are the IAM actions of one request (Service Authorization Reference, "Actions,
// resources, and condition keys for Amazon S3"; S3 API reference, each operation's
// "Permissions").
func needs(t *testing.T, r fakes3.Request) []grant {
	t.Helper()
	query, err := url.ParseQuery(r.Query)
	if err != nil {
		t.Fatal(err)
	}
	versioned := func(plain, version string) []grant {
		if query.Get("versionId") != "" {
			return []grant{{version, r.Key}}
		}
		return []grant{{plain, r.Key}}
	}
	switch r.Kind {
	case "ListObjectVersions":
		return []grant{{"s3:ListBucketVersions", ""}}
	case "ListMultipartUploads":
		return []grant{{"s3:ListBucketMultipartUploads", ""}}
	case "GetBucketVersioning":
		return []grant{{"s3:GetBucketVersioning", ""}}
	case "GetBucketLifecycleConfiguration":
		return []grant{{"s3:GetLifecycleConfiguration", ""}}
	case "GetObjectLockConfiguration":
		return []grant{{"s3:GetBucketObjectLockConfiguration", ""}}
	case "GetObject", "HeadObject":
		return versioned("s3:GetObject", "s3:GetObjectVersion")
	case "GetObjectTagging":
		return versioned("s3:GetObjectTagging", "s3:GetObjectVersionTagging")
	case "GetObjectRetention":
		return []grant{{"s3:GetObjectRetention", r.Key}}
	case "GetObjectLegalHold":
		return []grant{{"s3:GetObjectLegalHold", r.Key}}
	case "PutObjectLegalHold":
		return []grant{{"s3:PutObjectLegalHold", r.Key}}
	case "PutObject":
		return []grant{{"s3:PutObject", r.Key}}
	case "CopyObject":
		from, _, versioned := strings.Cut(r.Header.Get("X-Amz-Copy-Source"), "?versionId=")
		from, err := url.PathUnescape(strings.TrimPrefix(from, "/"))
		if err != nil {
			t.Fatal(err)
		}
		_, key, _ := strings.Cut(from, "/")
		read := "s3:GetObject"
		if versioned {
			read = "s3:GetObjectVersion"
		}
		out := []grant{{"s3:PutObject", r.Key}, {read, key}}
		// Tags are copied along, where there are any: commits write none.
		if !strings.HasPrefix(key, ".provcat/") {
			out = append(out, grant{"s3:GetObjectVersionTagging", key}, grant{"s3:PutObjectTagging", r.Key})
		}
		return out
	case "DeleteObject":
		return versioned("s3:DeleteObject", "s3:DeleteObjectVersion")
	}
	t.Fatalf("no action is known for %s", r.Kind)
	return nil
}

func granted(have []grant, need grant) bool {
	return slices.ContainsFunc(have, func(g grant) bool {
		on := strings.ReplaceAll(g.on, "FOLDER", "sales")
		prefix, wild := strings.CutSuffix(on, "*")
		return g.action == need.action && (need.on == "" && g.on == "" || need.on != "" && (need.on == on || wild && strings.HasPrefix(need.on, prefix)))
	})
}

// Each command asks for no more than the policies of the docs give, and each action of a
// policy is asked for by some command: the policies are enough, and not too much.
func TestPoliciesS3(t *testing.T) {
	all := policies(t)
	s := newS3(t, fakes3.Options{})
	s.SetObjectLock("team-data", `<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled></ObjectLockConfiguration>`)
	s.SetLifecycle("team-data", `<LifecycleConfiguration><Rule><ID>r</ID><Status>Enabled</Status><Filter><Tag><Key>tmp</Key><Value>1</Value></Tag></Filter><NoncurrentVersionExpiration><NoncurrentDays>30</NoncurrentDays></NoncurrentVersionExpiration></Rule></LifecycleConfiguration>`)
	s.Put("team-data", "sales/eu.csv", []byte("a,b\n"))
	s.Put("team-data", "sales/us.csv", []byte("12345"))
	used := map[string]map[grant]bool{}
	via := func(code int, policy string, args ...string) {
		t.Helper()
		s.Forget()
		r := cliAt(time.Now().Add(time.Second), append(args, "--endpoint", s.URL(), "--region", "us-east-1", "--path-style")...)
		r.wants(t, code)
		have := all[policy]
		if policy != "S3: read only" {
			have = slices.Concat(have, all["S3: read only"])
		}
		if len(all[policy]) == 0 {
			t.Fatalf("docs/permissions.md has no policy %q", policy)
		}
		if used[policy] == nil {
			used[policy] = map[grant]bool{}
		}
		for _, req := range s.Requests() {
			for _, need := range needs(t, req) {
				if !granted(have, need) {
					t.Errorf("%s: %s needs %s on %q, which the policy %q doesn't give", strings.Join(args, " "), req.Kind, need.action, need.on, policy)
				}
				used[policy][grant{need.action, ""}] = true
			}
		}
	}
	const ro = "S3: read only"
	const folder = "s3://team-data/sales"
	via(0, "S3: commit", "commit", folder, "-m", "first")
	first := s.Entries("team-data", "sales/us.csv")[0].ID
	s.SetTags("team-data", "sales/us.csv", first, map[string]string{"tmp": "1"})
	s.Put("team-data", "sales/us.csv", []byte("123456789"))
	via(0, "S3: commit", "commit", folder, "-m", "second")
	dir := t.TempDir()
	for _, args := range [][]string{
		{"ls", "s3://team-data"}, {"ls", folder, "--at", "1"}, {"log", folder}, {"show", folder, "1"}, {"diff", folder, "1", "2"}, {"pin", folder},
		{"cat", folder + "/us.csv"}, {"cat", folder + "/us.csv", "--at", "1"}, {"get", folder, "-o", filepath.Join(dir, "out"), "--at", "1"},
		{"audit", "s3://team-data"}, {"audit", "s3://team-data", "--depth", "readable"}, {"audit", folder, "--estimate"},
		{"restore", folder, "--at", "1", "--dry-run"}, {"protect", folder, "--dry-run"}, {"commit", folder, "-m", "x", "--dry-run"}, {"doctor", folder},
	} {
		via(0, ro, args...)
	}
	via(0, "S3: restore", "restore", folder, "--at", "1", "--yes")
	s.Put("team-data", "sales/later.csv", []byte("x"))
	via(0, "S3: restore", "restore", folder, "--at", "1", "--delete", "--yes")
	via(0, "S3: protect", "protect", folder, "--yes")
	via(0, "S3: protect", "protect", folder, "--off", "--yes")

	// A deleted log entry, and garbage beside the log.
	entry := s.Entries("team-data", ".provcat/log/")[0]
	marker := s.Delete("team-data", entry.Key)
	via(0, "S3: repair", "repair", "marker", "s3://team-data", "--key", entry.Key, "--version", marker, "--yes")
	s.Put("team-data", entry.Key, []byte("garbage"))
	garbage := s.Entries("team-data", entry.Key)[0].ID
	via(0, "S3: repair", "repair", "version", "s3://team-data", "--key", entry.Key, "--version", entry.ID, "--yes")
	via(0, "S3: repair", "repair", "discard", "s3://team-data", "--key", entry.Key, "--version", garbage, "--keep", filepath.Join(dir, "kept"), "--yes")

	// Actions that are no request of their own here: without s3:ListBucket an absent key
	// is answered with 403, and "repair commit-object" hides wrong bytes before it writes the right ones.
	spare := map[string][]string{ro: {"s3:ListBucket"}, "S3: repair": {"s3:DeleteObject"}}
	for policy, grants := range all {
		if !strings.HasPrefix(policy, "S3: ") || used[policy] == nil {
			continue
		}
		for _, g := range grants {
			if !used[policy][grant{g.action, ""}] && !slices.Contains(spare[policy], g.action) {
				t.Errorf("the policy %q gives %s, which nothing asked for", policy, g.action)
			}
		}
	}
}

// With the role of the docs alone each command does its work on Cloud Storage: the test
// server refuses what the role lacks.
func TestPoliciesGCS(t *testing.T) {
	all := policies(t)
	every := []string{"storage.objects.list", "storage.objects.get", "storage.buckets.get", "storage.objects.create", "storage.objects.delete", "storage.objects.update"}
	s := newGCS(t, fakegcs.Options{})
	s.Put("team-data", "sales/us.csv", []byte("12345"))
	with := func(roles ...string) {
		t.Helper()
		var have []string
		for _, r := range roles {
			if len(all[r]) == 0 {
				t.Fatalf("docs/permissions.md has no role %q", r)
			}
			for _, g := range all[r] {
				have = append(have, g.action)
			}
		}
		for _, p := range every {
			if slices.Contains(have, p) {
				s.Allow("team-data", p)
			} else {
				s.Deny("team-data", p)
			}
		}
	}
	via := func(args ...string) {
		t.Helper()
		cliAt(time.Now().Add(time.Second), args...).wants(t, 0)
	}
	const ro, folder = "Google Cloud Storage: read only", "gs://team-data/sales"
	with(ro, "Google Cloud Storage: commit")
	via("commit", folder, "-m", "first")
	s.Put("team-data", "sales/us.csv", []byte("123456789"))
	via("commit", folder, "-m", "second")
	with(ro)
	for _, args := range [][]string{
		{"ls", "gs://team-data"}, {"ls", folder, "--at", "1"}, {"log", folder}, {"show", folder, "1"}, {"diff", folder, "1", "2"}, {"pin", folder},
		{"cat", folder + "/us.csv", "--at", "1"}, {"get", folder, "-o", filepath.Join(t.TempDir(), "out"), "--at", "1"},
		{"audit", "gs://team-data", "--depth", "readable"}, {"restore", folder, "--at", "1", "--dry-run"}, {"protect", folder, "--dry-run"}, {"commit", folder, "-m", "x", "--dry-run"},
	} {
		via(args...)
	}
	r := cliAt(time.Now(), "commit", folder, "-m", "third")
	if r.code == 0 && !strings.Contains(r.out, "nothing to commit") {
		t.Errorf("a reader has committed: %s", r.out)
	}
	with(ro, "Google Cloud Storage: restore and protect")
	via("restore", folder, "--at", "1", "--yes")
	via("protect", folder, "--yes")
	via("protect", folder, "--off", "--yes")
}
