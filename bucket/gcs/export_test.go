package gcs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	raw "google.golang.org/api/storage/v1"
)

// SamplePage is a page of n generations as the service writes it.
func SamplePage(n int) []byte {
	var b strings.Builder
	b.WriteString(`{"kind":"storage#objects","nextPageToken":"CiZiaWcveWVhcj0yMDI2L3BhcnQ","items":[`)
	for i := range n {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, `{"name":"big/year=2026/month=%02d/part-%08d.parquet","generation":"17900000%08d","size":"%d","md5Hash":"mysvVfcnlzyXQ0Njla85hQ==","crc32c":"4waSgw==","timeCreated":"2026-10-01T08:00:%02d.%03dZ","timeDeleted":"2026-10-02T08:00:00.123Z","storageClass":"STANDARD"}`,
			i*12/n+1, i/2, i, i*1000, i%60, i%1000)
	}
	b.WriteString("]}")
	return []byte(b.String())
}

// DecodePage decodes a page and gives the number of its generations.
func DecodePage(body []byte) (int, error) {
	p := pages.Get().(*page)
	defer pages.Put(p)
	err := p.decode(bytes.NewReader(body))
	return len(p.items), err
}

// CheckPage decodes a page and checks what has to hold of it.
func CheckPage(fatalf func(string, ...any), body []byte) {
	p := new(page)
	if p.decode(bytes.NewReader(body)) != nil {
		return
	}
	for i := range p.items {
		if g := &p.items[i]; g.Key == "" || g.number < 0 || g.Size < 0 || g.Modified.IsZero() {
			fatalf("%+v of %q", g, body)
		}
	}
	out, err := history(nil, p.items)
	if err != nil {
		return
	}
	if len(out) < len(p.items) {
		fatalf("%d generations give %d versions", len(p.items), len(out))
	}
}

// CheckSettings reads a bucket's description and checks what has to hold of it.
func CheckSettings(fatalf func(string, ...any), body []byte) {
	list, err := rules(body)
	if err == nil {
		for _, r := range list {
			for _, n := range []*int{r.When.AgeDays, r.When.Noncurrent, r.When.CustomDays, &r.When.Newer} {
				if n != nil && *n < 0 {
					fatalf("%+v of %q", r.When, body)
				}
			}
		}
	}
	var got raw.Bucket
	if json.Unmarshal(body, &got) != nil {
		return
	}
	_ = versioning(&got)
	if l := objectLock(&got); l.Days < 0 {
		fatalf("%+v of %q", l, body)
	}
	if d := softDelete(&got); d < 0 {
		fatalf("%s of %q", d, body)
	}
}

// NewTransport is the driver's own way to the store.
func NewTransport() *http.Transport { return newTransport() }
