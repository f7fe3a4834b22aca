package audit

import "provcat-tui/commit"

// A late thing is an entry or a commit object that the first look could not read.
type late struct {
	what, key string
	folder    *string
	err       error
	still     func() error // why it cannot be read now; nil: it can
}

// lateIn gives what could not be read so far of the suspects.
func (s suspects) lateIn() []late {
	var out []late
	for _, l := range s.logs {
		var folder *string
		if l.known {
			folder = &l.folder
		}
		for _, x := range l.slots {
			if err := x.unread(); err != nil {
				out = append(out, late{"log entries", x.key, folder, err, func() error {
					for _, now := range l.slots {
						if now.key == x.key {
							return now.unread()
						}
					}
					return nil
				}})
			}
		}
	}
	for _, c := range s.commits {
		if err := c.unreadErr(); err != nil {
			out = append(out, late{"commit objects", commit.CommitKey(c.id), nil, err, c.unreadErr})
		}
	}
	return out
}

// tellLate tells of what only the second look could read. It was looked at once, the
// commit that such an entry names perhaps never, and its files were not compared: that
// is left to the next run, and not counted as sound.
func (a *auditor) tellLate(list []late) {
	for _, x := range list {
		if x.still() == nil { // else it is told as unread
			a.t.add(x.what, x.key, x.folder, x.err)
		}
	}
}
