package fakes3

import (
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	xmlHead   = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"
	xmlns     = ` xmlns="http://s3.amazonaws.com/doc/2006-03-01/"`
	ownerID   = "75aa57f09aa0c8caeab4f8c24e99d10f8e7faeebf76c078efc7c6caea54ba06a"
	ownerXML  = "<Owner><ID>" + ownerID + "</ID></Owner>"
	timeShape = "2006-01-02T15:04:05.000Z"
)

func xmlAnswer(body []byte) *answer {
	return &answer{Status: 200, Header: http.Header{"Content-Type": {"application/xml"}}, Body: body}
}

// fail is S3's error document (API reference, "REST error responses"); more are
// pairs of element and text.
func (x *exchange) fail(status int, code, message string, more ...string) *answer {
	b := append([]byte(xmlHead), "<Error>"...)
	b = element(b, "Code", code)
	b = element(b, "Message", message)
	for i := 0; i+1 < len(more); i += 2 {
		b = element(b, more[i], more[i+1])
	}
	b = element(b, "RequestId", x.requestID())
	b = element(b, "HostId", "fakes3")
	b = append(b, "</Error>"...)
	a := xmlAnswer(b)
	a.Status = status
	if x.R.Method == "HEAD" {
		a.Body = nil
	}
	return a
}

// element appends <name>text</name>.
func element(b []byte, name, text string) []byte {
	b = append(b, '<')
	b = append(b, name...)
	b = append(b, '>')
	b = escape(b, text)
	b = append(b, "</"...)
	b = append(b, name...)
	return append(b, '>')
}

// escape appends text as S3 writes it: characters that XML 1.0 cannot carry go
// out as references all the same, so that such a document is not well-formed.
// That is why encoding-type=url exists (API reference, ListObjectVersions).
func escape(b []byte, text string) []byte {
	for _, r := range text {
		switch {
		case r == '&':
			b = append(b, "&amp;"...)
		case r == '<':
			b = append(b, "&lt;"...)
		case r == '>':
			b = append(b, "&gt;"...)
		case r == '"':
			b = append(b, "&quot;"...)
		case r < 0x20 || r == 0x7f || r == 0xfffe || r == 0xffff:
			b = append(b, "&#x"...)
			b = strconv.AppendInt(b, int64(r), 16)
			b = append(b, ';')
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return b
}

// urlEncode is encoding-type=url: as for a form, but "/" stays (API reference,
// ListObjectVersions: test_file(3).png appears as test_file%283%29.png).
func urlEncode(text string) string {
	const hexDigits = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._*/", c) >= 0:
			b.WriteByte(c)
		case c == ' ':
			b.WriteByte('+')
		default:
			b.WriteByte('%')
			b.WriteByte(hexDigits[c>>4])
			b.WriteByte(hexDigits[c&15])
		}
	}
	return b.String()
}

func xmlTime(t time.Time) string { return t.UTC().Format(timeShape) }
