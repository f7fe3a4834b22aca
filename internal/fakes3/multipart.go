package fakes3

import (
	"cmp"
	"crypto/md5"
	"encoding/hex"
	"encoding/xml"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// minPart is the least size of every part but the last (user guide, "Amazon S3
// multipart upload limits").
const minPart = 5 << 20

// An upload is a multipart upload that was neither completed nor aborted. The
// version that it becomes has the time and the place of its start (user guide,
// "Uploading and copying objects using multipart upload": concurrent uploads).
type upload struct {
	id    string
	key   string
	start version // of which seq and modified are the start's
	parts map[int][]byte
}

// startUpload adds an upload behind all others of its key.
func (s *Server) startUpload(b *bucket, key string, start version) *upload {
	start.seq, start.modified = s.seq.Add(1), s.now()
	u := &upload{id: "upload." + encodeID(start.seq), key: key, start: start, parts: map[int][]byte{}}
	i, _ := slices.BinarySearchFunc(b.uploads, u, compareUploads)
	b.uploads = slices.Insert(b.uploads, i, u)
	return u
}

// compareUploads orders by key, then by start (API reference,
// ListMultipartUploads, "Sorting of multipart uploads in response").
func compareUploads(a, b *upload) int {
	return cmp.Or(strings.Compare(a.key, b.key), cmp.Compare(a.start.seq, b.start.seq))
}

// upload is the one that a request names.
func (x *exchange) upload(b *bucket) (*upload, *answer) {
	id := x.query.Get("uploadId")
	for _, u := range b.uploads {
		if u.id == id && u.key == x.Req.Key {
			return u, nil
		}
	}
	return nil, x.fail(404, "NoSuchUpload", "The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.", "UploadId", id)
}

func (b *bucket) dropUpload(u *upload) {
	b.uploads = slices.DeleteFunc(b.uploads, func(each *upload) bool { return each == u })
}

func (x *exchange) createUpload(b *bucket) *answer {
	var start version
	if a := x.describe(b, &start); a != nil {
		return a
	}
	u := x.s.startUpload(b, x.Req.Key, start)
	out := append([]byte(xmlHead), "<InitiateMultipartUploadResult"+xmlns+">"...)
	out = element(out, "Bucket", b.name)
	out = element(out, "Key", u.key)
	out = element(out, "UploadId", u.id)
	return xmlAnswer(append(out, "</InitiateMultipartUploadResult>"...))
}

func (x *exchange) uploadPart(b *bucket) *answer {
	u, a := x.upload(b)
	if a != nil {
		return a
	}
	n, err := strconv.Atoi(x.query.Get("partNumber"))
	if err != nil || n < 1 || n > 10000 {
		return x.argument("Part number must be an integer between 1 and 10000, inclusive", "partNumber", x.query.Get("partNumber"))
	}
	body, a := x.payload()
	if a != nil {
		return a
	}
	u.parts[n] = body
	return &answer{Status: 200, Header: http.Header{"Etag": {`"` + md5Hex(body) + `"`}}}
}

func md5Hex(body []byte) string {
	sum := md5.Sum(body)
	return hex.EncodeToString(sum[:])
}

// completeUpload makes a version of the parts that the request lists. What was
// uploaded and isn't listed is gone.
func (x *exchange) completeUpload(b *bucket) *answer {
	var in struct {
		XMLName xml.Name `xml:"CompleteMultipartUpload"`
		Part    []struct {
			PartNumber int
			ETag       string
		}
	}
	u, a := x.upload(b)
	if a != nil {
		return a
	}
	body, a := x.payload()
	if a != nil {
		return a
	}
	if xml.Unmarshal(body, &in) != nil || len(in.Part) == 0 {
		return x.malformed()
	}
	if a := x.mayWrite(b); a != nil {
		return a
	}
	for i, p := range in.Part {
		if i > 0 && p.PartNumber <= in.Part[i-1].PartNumber {
			return x.fail(400, "InvalidPartOrder", "The list of parts was not in ascending order. Parts must be ordered by part number.", "UploadId", u.id)
		}
	}
	var parts [][]byte
	for i, p := range in.Part {
		part, ok := u.parts[p.PartNumber]
		if !ok || strings.Trim(p.ETag, `"`) != md5Hex(part) {
			return x.fail(400, "InvalidPart", "One or more of the specified parts could not be found. The part may not have been uploaded, or the specified entity tag may not match the part's entity tag.",
				"UploadId", u.id, "PartNumber", strconv.Itoa(p.PartNumber), "ETag", strings.Trim(p.ETag, `"`))
		}
		if i+1 < len(in.Part) && len(part) < minPart {
			return x.fail(400, "EntityTooSmall", "Your proposed upload is smaller than the minimum allowed size",
				"ProposedSize", strconv.Itoa(len(part)), "MinSizeAllowed", strconv.Itoa(minPart), "PartNumber", strconv.Itoa(p.PartNumber))
		}
		parts = append(parts, part)
	}
	v := b.finish(u, parts)
	out := append([]byte(xmlHead), "<CompleteMultipartUploadResult"+xmlns+">"...)
	out = element(out, "Location", "http://"+x.R.Host+"/"+b.name+"/"+u.key)
	out = element(out, "Bucket", b.name)
	out = element(out, "Key", u.key)
	out = element(out, "ETag", `"`+v.etag+`"`)
	a = xmlAnswer(append(out, "</CompleteMultipartUploadResult>"...))
	b.nameVersion(a, v)
	return a
}

// finish puts the upload's version in its place among the key's others, and the
// upload away.
func (b *bucket) finish(u *upload, parts [][]byte) *version {
	v := u.start
	h := md5.New()
	for _, p := range parts {
		sum := md5.Sum(p)
		h.Write(sum[:]) // a hash never fails
		v.body = append(v.body, p...)
	}
	v.etag = hex.EncodeToString(h.Sum(nil)) + "-" + strconv.Itoa(len(parts))
	v.size = int64(len(v.body))
	b.dropUpload(u)
	b.add(u.key, &v)
	return &v
}

func (x *exchange) abortUpload(b *bucket) *answer {
	u, a := x.upload(b)
	if a != nil {
		return a
	}
	b.dropUpload(u)
	return &answer{Status: 204}
}

func (x *exchange) listUploads(b *bucket) *answer {
	l, page, a := x.listQuery(b, "key-marker", "max-uploads")
	if a != nil {
		return a
	}
	if l.keyMarker != "" { // without it the other marker is ignored (API reference)
		l.versionMarker = x.query.Get("upload-id-marker")
	}
	b.fillUploads(l, page)
	if l.truncated {
		last := l.rows[len(l.rows)-1]
		l.hasNextKey, l.nextKey = true, last.prefix+last.key
		if last.u != nil {
			l.hasNextVers, l.nextVersion = true, last.u.id
		}
	}
	for _, f := range x.reshape {
		f(l)
	}
	return xmlAnswer(l.uploadsXML())
}

// fillUploads walks from the markers until the page is full.
func (b *bucket) fillUploads(l *listing, page int) {
	after, _ := decodeID(strings.TrimPrefix(l.versionMarker, "upload."))
	for _, u := range b.uploads {
		switch {
		case !strings.HasPrefix(u.key, l.prefix), u.key < l.keyMarker:
			continue
		case u.key == l.keyMarker && (l.versionMarker == "" || u.start.seq <= after):
			continue
		}
		r := row{key: u.key, u: u}
		if p := l.common(u.key); p != "" {
			if p == l.keyMarker || len(l.rows) > 0 && l.rows[len(l.rows)-1].prefix == p {
				continue
			}
			r = row{prefix: p}
		}
		if len(l.rows) >= page {
			l.truncated = page > 0
			return
		}
		l.rows = append(l.rows, r)
	}
}

func (l *listing) uploadsXML() []byte {
	b := append([]byte(xmlHead), "<ListMultipartUploadsResult"+xmlns+">"...)
	b = element(b, "Bucket", l.name)
	b = l.text(b, "KeyMarker", l.keyMarker)
	b = element(b, "UploadIdMarker", l.versionMarker)
	if l.hasNextKey {
		b = l.text(b, "NextKeyMarker", l.nextKey)
	}
	b = l.text(b, "Prefix", l.prefix)
	if l.hasNextVers {
		b = element(b, "NextUploadIdMarker", l.nextVersion)
	}
	b = l.tail(b, "MaxUploads")
	for _, r := range l.rows {
		if r.u == nil {
			continue
		}
		b = append(b, "<Upload>"...)
		b = l.text(b, "Key", r.u.key)
		b = element(b, "UploadId", r.u.id)
		b = append(b, "<Initiator><ID>"+ownerID+"</ID></Initiator>"+ownerXML...)
		b = element(b, "StorageClass", r.u.start.class)
		b = element(b, "Initiated", xmlTime(r.u.start.modified))
		b = append(b, "</Upload>"...)
	}
	return append(l.prefixesXML(b), "</ListMultipartUploadsResult>"...)
}
