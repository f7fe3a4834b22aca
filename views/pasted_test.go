package views

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

const pastedID = "gwDNRRFAJKQfUYpCiuZRtmQuIFt6F-JC"

// Texts of the stores, their SDKs and tools; what each names was read off by eye.
func TestPastedObject(t *testing.T) {
	const here = "file:///data/demo.bucket"
	for text, want := range map[string]pasted{
		`<?xml version="1.0" encoding="UTF-8"?> <Error><Code>NoSuchVersion</Code><Message>The specified version does not exist.</Message><Key>web/a&amp;b.csv</Key><VersionId>` + pastedID + `</VersionId><RequestId>7B4A0FABBEXAMPLE</RequestId></Error>`: {key: "web/a&b.csv", version: pastedID},
		`<Error><Code>NoSuchKey</Code><Key>web/b.csv</Key><BucketName>team-data</BucketName></Error>`: {scheme: "s3", bucket: "team-data", key: "web/b.csv"},
		"s3://team-data/web/b.csv":                                                                                     {scheme: "s3", bucket: "team-data", key: "web/b.csv"},
		"s3://team-data/web/b.csv " + pastedID:                                                                         {scheme: "s3", bucket: "team-data", key: "web/b.csv", version: pastedID},
		"s3://team-data/web/b.csv?versionId=" + pastedID:                                                               {scheme: "s3", bucket: "team-data", key: "web/b.csv", version: pastedID},
		"java.io.FileNotFoundException: No such file or directory: s3a://team-data/web/b.csv":                          {scheme: "s3", bucket: "team-data", key: "web/b.csv"},
		`pandas: cannot read 's3://team-data/web/the b.csv': NoSuchVersion`:                                            {scheme: "s3", bucket: "team-data", key: "web/the b.csv"},
		"failed to read s3://team-data/web/b.csv (version " + pastedID + "): not found":                                {scheme: "s3", bucket: "team-data", key: "web/b.csv", version: pastedID},
		"read s3://team-data/web/b.csv: the specified version does not exist.":                                         {scheme: "s3", bucket: "team-data", key: "web/b.csv"},
		"gs://team-data/web/b.csv#1668135000014620":                                                                    {scheme: "gs", bucket: "team-data", key: "web/b.csv", version: "1668135000014620"},
		"s3://team-data/web/b.csv#1668135000014620":                                                                    {scheme: "s3", bucket: "team-data", key: "web/b.csv#1668135000014620"},
		"GET https://team-data.s3.eu-west-1.amazonaws.com/web/b%20c.csv?versionId=" + pastedID + "&x-id=GetObject 404": {scheme: "s3", bucket: "team-data", key: "web/b c.csv", version: pastedID},
		"https://s3.eu-west-1.amazonaws.com/team-data/web/b.csv":                                                       {scheme: "s3", bucket: "team-data", key: "web/b.csv"},
		"http://127.0.0.1:9000/team-data/web/b.csv?versionId=" + pastedID + ".":                                        {scheme: "s3", bucket: "team-data", key: "web/b.csv", version: pastedID},
		"https://storage.googleapis.com/team-data/web/b.csv?generation=1668135000014620":                               {scheme: "gs", bucket: "team-data", key: "web/b.csv", version: "1668135000014620"},
		`get_object failed: {'Bucket': 'team-data', 'Key': 'web/b.csv', 'VersionId': '` + pastedID + `'}`:              {scheme: "s3", bucket: "team-data", key: "web/b.csv", version: pastedID},
		`level=error msg="read failed" key=web/b.csv version_id=` + pastedID:                                           {key: "web/b.csv", version: pastedID},
		`{"level":"error","object":"web/b.csv","versionId":"` + pastedID + `"}`:                                        {key: "web/b.csv", version: pastedID},
		`{"Key":"web/\"b\".csv"}`:                                                                                      {key: `web/"b".csv`},
		"version " + pastedID + " of web/b.csv: not found":                                                             {key: "web/b.csv", version: pastedID},
		"web/b.csv " + pastedID:                               {key: "web/b.csv", version: pastedID},
		here + "/web/b.csv " + pastedID:                       {key: "web/b.csv", version: pastedID},
		"provcat-tui: read " + here + "/web/b.csv: not found": {key: "web/b.csv"},
		`Key: web/b.csv, VersionId: None`:                     {key: "web/b.csv"},
	} {
		got, ok := pastedObject(text, here)
		if !ok || got != want {
			t.Errorf("%s\n gives %+v (%v)\n want  %+v", text, got, ok, want)
		}
	}
}

// What people type to search is no object, nor is a message that names none.
func TestNothingPasted(t *testing.T) {
	for _, text := range []string{
		"", "orders", "web/b.csv", "sales 2026", "a/b c/d", "#12 nightly", "the version of it", "version 2 of it",
		"An error occurred (NoSuchVersion) when calling the GetObject operation: The specified version does not exist.",
		"s3://team-data", "s3://team-data/", "https://", "key=", "<Key></Key>", "version: 12",
	} {
		if got, ok := pastedObject(text, "s3://b"); ok {
			t.Errorf("%q gives %+v", text, got)
		}
	}
}

// However a key and a version are told in these ways, they come out as they went in.
func FuzzPasted(f *testing.F) {
	f.Add("web/b.csv", pastedID)
	f.Add("a b/é'\".csv", "null")
	f.Add("commit 9 of a is gone: provcat-tui audit 's3://b/a b' --folder", "s3://b")
	f.Add("gone  a: version x does not exist any more provcat-tui $'", "$")
	f.Fuzz(func(t *testing.T, key, id string) {
		pastedObject(key, id) // whatever it is
		plain := func(s string) bool {
			return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
				return r != '/' && r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z')
			})
		}
		if !plain(key) || !plain(id) || strings.EqualFold(id, "none") || strings.HasPrefix(key, "/") {
			return
		}
		want := pasted{scheme: "s3", bucket: "bucket-1", key: key, version: id}
		for _, text := range []string{
			"s3://bucket-1/" + key + "?versionId=" + id,
			"https://bucket-1.s3.amazonaws.com/" + key + "?versionId=" + id,
			"{'Bucket': 'bucket-1', 'Key': '" + key + "', 'VersionId': '" + id + "'}",
			"<Key>" + key + "</Key><VersionId>" + id + "</VersionId><BucketName>bucket-1</BucketName>",
		} {
			if got, ok := pastedObject(text, ""); !ok || got != want {
				t.Errorf("%q gives %+v (%v)", text, got, ok)
			}
		}
	})
}

// The message of a failed read, pasted as it is, leads to the object and to what became
// of the version, in the open bucket as in another one.
func TestPastedErrorLeadsToTheObject(t *testing.T) {
	f, _ := small(t)
	d := newDriver(t, f.start(""), 100, 30)
	d.press("ctrl+p")
	d.send(tea.PasteMsg{Content: "<Error><Code>NoSuchVersion</Code>\n<Key>sales/2026/notes.txt</Key>\n<VersionId>" + pastedID + "</VersionId></Error>"})
	d.idle()
	d.sees("an object", "sales/2026/notes.txt", "version "+pastedID, "the pasted text names this object")
	d.press("enter")
	d.sees("Object sales/2026/notes.txt", "Version "+pastedID+" is not there")
	// Something else is typed: it searches as ever.
	d.press("ctrl+p")
	d.send(tea.PasteMsg{Content: "key=sales/2026/notes.txt"})
	d.idle()
	d.sees("the pasted text names this object")
	for range len("key=sales/2026/notes.txt") {
		d.press("backspace")
	}
	d.write("usordcsv")
	d.sees("sales/2026/us/orders.csv")
	d.seesNot("the pasted text")
}
