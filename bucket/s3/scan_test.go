package s3

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
	"testing"
	"time"
)

const head = `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<ListVersionsResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">`

func doc(inner string) string { return head + inner + "</ListVersionsResult>" }

const done = "<IsTruncated>false</IsTruncated>"

func entryXML(key string) string {
	return "<Version><Key>" + key + "</Key><VersionId>v1</VersionId><IsLatest>true</IsLatest><LastModified>2026-10-30T12:34:56.000Z</LastModified><ETag>&quot;e&quot;</ETag><Size>5</Size><StorageClass>STANDARD</StorageClass></Version>"
}

// show prints what a page holds, a line each.
func show(p *page) string {
	var b strings.Builder
	for _, e := range p.entries {
		fmt.Fprintf(&b, "%q %q latest=%v marker=%v %s %q %d %q\n", e.key, e.id, e.latest, e.marker, e.modified.Format(time.RFC3339Nano), e.etag, e.size, e.class)
	}
	for _, f := range p.folders {
		fmt.Fprintf(&b, "folder %q\n", f)
	}
	fmt.Fprintf(&b, "name=%q prefix=%q delimiter=%q next=%q,%q truncated=%v", p.name, p.prefix, p.delimiter, p.nextKey, p.nextID, p.truncated)
	return b.String()
}

func TestScanAsAmazonWritesIt(t *testing.T) {
	p := &page{body: []byte(head + `<Name>team-data</Name><Prefix>sales%2F</Prefix><KeyMarker></KeyMarker><VersionIdMarker/><NextKeyMarker>sales%2Fb+c</NextKeyMarker><NextVersionIdMarker>v%2B3</NextVersionIdMarker><MaxKeys>1000</MaxKeys><Delimiter>%2F</Delimiter><EncodingType>url</EncodingType><IsTruncated>true</IsTruncated>` +
		`<Version><Key>sales%2Fa%0D%2B</Key><VersionId>v1</VersionId><IsLatest>false</IsLatest><LastModified>2026-10-30T12:34:56.000Z</LastModified><ETag>&quot;9b2c&#45;2&quot;</ETag><ChecksumAlgorithm>CRC64NVME</ChecksumAlgorithm><ChecksumType>FULL_OBJECT</ChecksumType><Size>1048576</Size><StorageClass>GLACIER</StorageClass><Owner><ID>75aa</ID><DisplayName>a &amp; b</DisplayName></Owner></Version>` +
		`<DeleteMarker><Key>sales%2Fb+c</Key><VersionId>v2</VersionId><IsLatest>true</IsLatest><LastModified>2026-10-30T12:34:57Z</LastModified><Owner><ID>75aa</ID></Owner></DeleteMarker>` +
		`<Version><Key>sales%2Fb+c</Key><VersionId>null</VersionId><IsLatest>false</IsLatest><LastModified>2026-10-30T12:34:55+02:00</LastModified><ETag>"x"</ETag><Size>0</Size></Version>` +
		`<CommonPrefixes><Prefix>sales%2Feu%2F</Prefix></CommonPrefixes></ListVersionsResult>` + "\n")}
	if err := p.parse(); err != nil {
		t.Fatal(err)
	}
	want := `"sales/a\r+" "v1" latest=false marker=false 2026-10-30T12:34:56Z "9b2c-2" 1048576 "GLACIER"
"sales/b c" "v2" latest=true marker=true 2026-10-30T12:34:57Z "" 0 ""
"sales/b c" "null" latest=false marker=false 2026-10-30T10:34:55Z "x" 0 ""
folder "sales/eu/"
name="team-data" prefix="sales/" delimiter="/" next="sales/b c","v%2B3" truncated=true`
	if got := show(p); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestScanFieldsInAnyOrderAndLayout(t *testing.T) {
	p := &page{body: []byte("\xef\xbb\xbf<?xml version='1.0' encoding='utf-8' standalone='yes' ?>\n<ListVersionsResult>\n  <DeleteMarker>\n" +
		"\t<Owner a='1' b=\"&lt;>\"><x:y z='1'/></Owner></DeleteMarker></ListVersionsResult>")}
	if err := p.parse(); err == nil || !strings.Contains(err.Error(), "not an attribute") {
		t.Errorf("a prefixed element: %v", err)
	}
	p.body = []byte("\xef\xbb\xbf<?xml version='1.0' encoding='utf-8' standalone='yes' ?>\n<ListVersionsResult >\n  <DeleteMarker xsi:type='a>b'>\n" +
		"\t<Owner a='1' b=\"&lt;>\"><y z='1'/></Owner><LastModified>2026-01-02T03:04:05Z</LastModified>\r\n<IsLatest>true</IsLatest ><VersionId/><Key>a&amp;%2f&#x1F642;&#13;</Key></DeleteMarker>" +
		"<KeyCount>1</KeyCount><IsTruncated>false</IsTruncated></ListVersionsResult>")
	if err := p.parse(); err != nil {
		t.Fatal(err)
	}
	// Without an EncodingType the key stands as it is.
	want := `"a&%2f🙂\r" "null" latest=true marker=true 2026-01-02T03:04:05Z "" 0 ""
name="" prefix="" delimiter="" next="","" truncated=false`
	if got := show(p); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestScanRefuses(t *testing.T) {
	whole := doc(done + entryXML("k"))
	cases := map[string]string{
		"":                             "empty",
		" \r\n ":                       "empty",
		"<!DOCTYPE html><html></html>": "not a version listing",
		"<html><body/></html>":         "not a version listing",
		`{"message":"ok"}`:             "not a version listing",
		"<ListBucketResult>" + done + "</ListBucketResult>": "not a version listing",
		"<Error><Code>SlowDown</Code></Error>":              "SlowDown",
		"<ListVersionsResult/>":                             "says nothing",
		doc(""):                                             "no IsTruncated",
		doc(entryXML("k")):                                  "no IsTruncated",
		doc("<IsTruncated>maybe</IsTruncated>"):             "neither true nor false",
		doc("<IsTruncated></IsTruncated>"):                  "neither true nor false",
		doc(done + done):                                    "twice",
		doc(done + "<Name>a</Name><Name>b</Name>"):          "twice",
		whole + "<x/>":                                      "something follows",
		whole + whole:                                       "something follows",
		doc(done + "text"):                                  "text where an element is due",
		doc(done + "<!-- c -->"):                            "not an element",
		doc(done + "<![CDATA[x]]>"):                         "not an element",
		doc(done + "<Version/>"):                            "empty <Version>",
		doc(done + "<Version></Version>"):                   "without its key",
		doc(done + strings.Replace(entryXML("k"), "<Size>5</Size>", "", 1)):                   "without its key",
		doc(done + strings.Replace(entryXML("k"), "<Size>5", "<Size>-5", 1)):                  "not a size",
		doc(done + strings.Replace(entryXML("k"), "<Size>5", "<Size>9999999999999999999", 1)): "not a size",
		doc(done + strings.Replace(entryXML("k"), "<IsLatest>true</IsLatest>", "", 1)):        "without its key",
		doc(done + strings.Replace(entryXML("k"), "2026-10-30T", "2026-13-30T", 1)):           "not a time",
		doc(done + strings.Replace(entryXML("k"), "<Size>", "<Key>b</Key><Size>", 1)):         "twice",
		doc(done + strings.Replace(entryXML("k"), "<Key>", "<Key><b/>", 1)):                   "inside <Key>",
		doc(done + strings.Replace(entryXML("k"), "</Key>", "</Kez>", 1)):                     "inside <Key>",
		doc(done + entryXML("a&nbsp;b")):                                                      "unknown entity",
		doc(done + entryXML("a&b")):                                                           "& that starts no entity",
		doc(done + entryXML("a&#0;b")):                                                        "does not have",
		doc(done + entryXML("a&#xD800;b")):                                                    "does not have",
		doc(done + entryXML("a&#x110000;b")):                                                  "past the end",
		doc(done + entryXML("a\x01b")):                                                        "control character",
		doc(done + entryXML("a\rb")):                                                          "carriage return",
		doc(done + entryXML("a\xffb")):                                                        "UTF-8",
		doc(done + entryXML("a]]>b")):                                                         "]]>",
		doc(done + "<EncodingType>url</EncodingType>" + entryXML("a%2")):                      "percent-encoded",
		doc(done + "<EncodingType>url</EncodingType>" + entryXML("a%zz")):                     "percent-encoded",
		doc(done + "<EncodingType>rot13</EncodingType>"):                                      "unknown encoding",
		doc(done + "<ObjectVersion><Key>k</Key></ObjectVersion>"):                             "unknown element",
		doc(done + "<CommonPrefixes></CommonPrefixes>"):                                       "without a <Prefix>",
		doc(done + "<CommonPrefixes><Key>k</Key></CommonPrefixes>"):                           "inside <CommonPrefixes>",
		doc(done + "<a>" + strings.Repeat("<b>", 100)):                                        "levels deep",
		doc(done + "<Owner x>"):                                                               "attribute",
		`<?xml version="1.1"?>` + whole:                                                       "XML 1.0",
		`<?xml version="1.0" encoding="latin1"?><ListVersionsResult/>`:                        "UTF-8",
		"<?xml\xa7version=\"1.0\"?>" + whole:                                                  "XML 1.0 declaration",
		`<?xmlversion="1.0"?>` + whole:                                                        "XML 1.0 declaration",
		`<?xml-model version="1.0"?>` + whole:                                                 "XML 1.0 declaration",
		`<?xml encoding="UTF-8" version="1.0"?>` + whole:                                      "XML 1.0 declaration",
		`<?xml version="1.0" x="1"?>` + whole:                                                 "XML 1.0 declaration",
		`<?xml version="1.0"`:                                                                 "XML 1.0 declaration",
	}
	for in, says := range cases {
		err := (&page{body: []byte(in)}).parse()
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.200q: %v; want an error that says %q", in, err, says)
		}
	}
}

// TestScanRefusesEveryTruncation cuts a listing off at every byte.
func TestScanRefusesEveryTruncation(t *testing.T) {
	whole := doc(done + entryXML("a%2Fb") + "<EncodingType>url</EncodingType><CommonPrefixes><Prefix>c/</Prefix></CommonPrefixes>" + entryXML("d&amp;e"))
	if err := (&page{body: []byte(whole)}).parse(); err != nil {
		t.Fatal(err)
	}
	for n := range len(whole) {
		if err := (&page{body: []byte(whole[:n])}).parse(); err == nil {
			t.Fatalf("accepted the first %d of %d bytes", n, len(whole))
		}
	}
}

func TestPlainAgreesWithItsDefinition(t *testing.T) {
	for at := range 17 {
		for c := range 256 {
			b := []byte("abcdefgh^~\x7f%<>'\"z")
			b[at] = byte(c)
			want := c >= 0x20 && c < 0x80 && c != '&' && c != ']'
			if plain(b) != want {
				t.Errorf("plain with %#x at %d is %v", c, at, !want)
			}
		}
	}
}

// oracle is what encoding/xml reads.
type oracle struct {
	XMLName  xml.Name
	Children []struct {
		XMLName xml.Name
		Text    string `xml:",chardata"`
		Fields  []struct {
			XMLName xml.Name
			Text    string `xml:",chardata"`
		} `xml:",any"`
	} `xml:",any"`
}

// same compares a page, whose keys are not percent-encoded, with encoding/xml's
// reading.
func same(p *page, body []byte) error {
	var o oracle
	if err := xml.Unmarshal(body, &o); err != nil {
		return fmt.Errorf("encoding/xml refuses it: %w", err)
	}
	entries, folders := 0, 0
	for _, c := range o.Children {
		get := func(name string) string {
			for _, f := range c.Fields {
				if f.XMLName.Local == name {
					return f.Text
				}
			}
			return ""
		}
		decode := func(s string) string {
			b := []byte(s)
			if p.encoded {
				if err := decodeURL(&b); err != nil {
					return err.Error()
				}
			}
			return string(b)
		}
		switch c.XMLName.Local {
		case "Version", "DeleteMarker":
			if entries == len(p.entries) {
				return fmt.Errorf("more than %d entries", entries)
			}
			e := p.entries[entries]
			entries++
			id := get("VersionId")
			if id == "" {
				id = "null"
			}
			etag := get("ETag")
			if len(etag) >= 2 && etag[0] == '"' && etag[len(etag)-1] == '"' {
				etag = etag[1 : len(etag)-1]
			}
			modified, err := time.Parse(time.RFC3339, get("LastModified"))
			if err != nil || !modified.Equal(e.modified) {
				return fmt.Errorf("time %v, not %v: %w", e.modified, modified, err)
			}
			if string(e.key) != decode(get("Key")) || string(e.id) != id || e.latest != (get("IsLatest") == "true") ||
				e.marker != (c.XMLName.Local == "DeleteMarker") || string(e.etag) != etag || string(e.class) != get("StorageClass") {
				return fmt.Errorf("entry %d differs: %+v", entries-1, c)
			}
			if size := get("Size"); size != "" && strings.TrimLeft(size, "0") != strings.TrimLeft(fmt.Sprint(e.size), "0") {
				return fmt.Errorf("size %s, not %d", size, e.size)
			}
		case "CommonPrefixes":
			for _, f := range c.Fields {
				if folders == len(p.folders) || string(p.folders[folders]) != decode(f.Text) {
					return fmt.Errorf("folder %d differs: %q", folders, f.Text)
				}
				folders++
			}
		case "IsTruncated":
			if p.truncated != (c.Text == "true") {
				return fmt.Errorf("truncated: %s", c.Text)
			}
		case "NextKeyMarker":
			if string(p.nextKey) != decode(c.Text) {
				return fmt.Errorf("next key %q", c.Text)
			}
		case "NextVersionIdMarker":
			if string(p.nextID) != c.Text {
				return fmt.Errorf("next version %q", c.Text)
			}
		case "Name":
			if string(p.name) != c.Text {
				return fmt.Errorf("name %q", c.Text)
			}
		case "Prefix":
			if string(p.prefix) != decode(c.Text) {
				return fmt.Errorf("prefix %q", c.Text)
			}
		}
	}
	if entries != len(p.entries) || folders != len(p.folders) {
		return fmt.Errorf("%d entries and %d folders, not %d and %d", entries, folders, len(p.entries), len(p.folders))
	}
	return nil
}

// FuzzScan: whatever the scanner accepts, encoding/xml reads in the same way.
func FuzzScan(f *testing.F) {
	f.Add([]byte(doc(done + entryXML("k"))))
	f.Add([]byte(doc("<EncodingType>url</EncodingType><Name>b</Name><Prefix>a%2F</Prefix><NextKeyMarker>k+</NextKeyMarker><NextVersionIdMarker>v</NextVersionIdMarker><IsTruncated>true</IsTruncated>" +
		entryXML("a%2Fb&amp;&#13;c") + strings.ReplaceAll(strings.Replace(entryXML("ü"), "<Size>5</Size>", "<Owner><ID>x</ID></Owner>", 1), "Version>", "DeleteMarker>"))))
	f.Add([]byte(doc(done + "<CommonPrefixes><Prefix>a/</Prefix></CommonPrefixes><KeyMarker/><MaxKeys a='b' >1000</MaxKeys >")))
	f.Add([]byte("\xef\xbb\xbf<?xml version='1.0'?> <ListVersionsResult\n>" + done + "\t</ListVersionsResult>\r\n"))
	f.Add(pageOf(3))
	f.Fuzz(func(t *testing.T, body []byte) {
		p := &page{body: bytes.Clone(body)}
		if p.parse() != nil {
			return
		}
		if err := same(p, body); err != nil {
			t.Errorf("%v\nthe scanner reads\n%s\nin %q", err, show(p), body)
		}
	})
}

// pageOf is a page of n versions as Amazon writes it, 510 bytes each or so.
func pageOf(n int) []byte {
	var b bytes.Buffer
	b.WriteString(head + "<Name>team-data</Name><Prefix></Prefix><KeyMarker></KeyMarker><VersionIdMarker></VersionIdMarker><MaxKeys>1000</MaxKeys><EncodingType>url</EncodingType><IsTruncated>false</IsTruncated>")
	for i := range n {
		fmt.Fprintf(&b, `<Version><Key>sales/2026/region-%03d/part-%05d-8f14e45f-ceea-467f.snappy.parquet</Key><VersionId>3sL4kqtJlcpXroDTDmJ%013d</VersionId><IsLatest>true</IsLatest><LastModified>2026-10-30T12:34:56.000Z</LastModified><ETag>&quot;9b2cf535f27731c974343645a3985328&quot;</ETag><Size>%d</Size><StorageClass>STANDARD</StorageClass><Owner><ID>75aa57f09aa0c8caeab4f8c24e99d10f8e7faeebf76c078efc7c6caea54ba06a</ID><DisplayName>team-data</DisplayName></Owner></Version>`, i/100, i, i, 1000+i)
	}
	b.WriteString("</ListVersionsResult>")
	return b.Bytes()
}

// BenchmarkScan: one page of 1,000 versions, with the Versions made of it.
func BenchmarkScan(b *testing.B) {
	body := pageOf(1000)
	p := &page{}
	var scratch []byte
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		p.body = append(p.body[:0], body...)
		if err := p.parse(); err != nil {
			b.Fatal(err)
		}
		last := ""
		for i := range p.entries {
			last = p.entries[i].version(last, &scratch).Key
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/version")
}
