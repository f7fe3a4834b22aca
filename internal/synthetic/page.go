package synthetic

import (
	"bytes"
	"strings"
)

// A query asks for a page, whatever the dialect.
type query struct {
	prefix, delimiter string
	// after is the key after which the page begins; with version set, after that
	// version of it, else after all of them.
	after   string
	version string
	most    int
	live    bool // only live versions, as in a plain listing of objects
	epoch   int64
}

// A row is a version or a folder of a page. Its key is only valid until the next.
type row struct {
	key    []byte
	folder bool
	n      int64 // of the key
	j      int   // of the version; the newest has the lowest
	latest bool
	marker bool
}

// page calls row for each row of a page, and says whether more follow.
func (s *Shape) page(q query, f func(row)) (more bool) {
	if q.most <= 0 {
		return false
	}
	var b []byte
	i := s.find(max(q.prefix, q.after))
	from := -1 << 30 // the version to start with, of the first key; far below all: its newest
	if q.after != "" && i < s.Keys {
		if b = s.Key(b[:0], i); string(b) == q.after {
			_, at, ok := parseID(q.version)
			if q.version != "" && ok && at+1 < s.versions() {
				from = at + 1
			} else {
				i++
			}
		}
	}
	if p := q.common([]byte(q.after)); p != "" && p == q.after {
		i = max(i, s.past(p)) // the page before ended with this folder
	}
	rows := 0
	for ; i < s.Keys; i, from = i+1, -1<<30 {
		b = s.Key(b[:0], i)
		if !bytes.HasPrefix(b, []byte(q.prefix)) {
			return false
		}
		newest, there := s.at(i, q.epoch)
		deleted := s.Deleted > 0 && i%s.Deleted == s.Deleted-1
		if !there || q.live && deleted && newest == 0 {
			continue
		}
		if p := q.common(b); p != "" {
			if rows == q.most {
				return true
			}
			rows++
			f(row{key: []byte(p), folder: true})
			i = s.past(p) - 1
			continue
		}
		for j := max(-newest, from); j < s.versions(); j++ {
			if rows == q.most {
				return true
			}
			rows++
			f(row{key: b, n: i, j: j, latest: j == -newest, marker: j == 0 && deleted})
			if q.live {
				break
			}
		}
	}
	return false
}

// common is the folder that a key falls under; empty: none.
func (q *query) common(key []byte) string {
	if q.delimiter == "" || !bytes.HasPrefix(key, []byte(q.prefix)) {
		return ""
	}
	rest := string(key[len(q.prefix):])
	at := strings.Index(rest, q.delimiter)
	if at < 0 {
		return ""
	}
	return q.prefix + rest[:at+len(q.delimiter)]
}
