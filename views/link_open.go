package views

import (
	"context"
	"errors"
	"strings"
)

// lay puts screens in the place of this one, each above the one before. Only the last
// one starts; those below when they are shown.
type lay struct{ screens []screen }

// screensTo gives the screens to a link, as if walked. It waits: only for tasks.
func screensTo(ctx context.Context, p place, path string, l Link) ([]screen, error) {
	if l.Screen == onObject {
		above := newFolder(p, path[:strings.LastIndexByte(path, '/')+1])
		return []screen{above, newObject(p, path, l.Version)}, nil
	}
	f := newFolder(p, path)
	out := []screen{f}
	folder, _ := canCommit(path) // Check refused what is no folder
	switch l.Screen {
	case onRequests:
		return append(out, newRequests(p.env)), nil
	case onAudit:
		return append(out, newAudit(p, folder)), nil
	case onLog:
		return append(out, newLog(p, folder)), nil
	case onCommit, onDiff:
		from, hidden, err := resolveToRead(ctx, p.b, folder, l.Ref)
		if err != nil {
			return nil, err
		}
		below := newLog(p, folder)
		below.goTo = max(from.Number, hidden)
		out = append(out, below)
		if l.Screen == onCommit {
			if from.Live {
				return nil, errors.New("live is no commit; give a number, an ID or head")
			}
			return append(out, newCommit(p, folder, from.ID, max(from.Number, hidden))), nil
		}
		to, _, err := resolveToRead(ctx, p.b, folder, l.To)
		if err != nil {
			return nil, err
		}
		return append(out, newDiff(p, folder, from, to)), nil
	case onPin:
		at, err := parsePinTime(l.At, p.Now())
		if err != nil {
			return nil, err
		}
		return append(out, newPin(p, folder, at)), nil
	default:
		if l.Ref != "" && l.Ref != "live" {
			f.at = &atCommit{ref: l.Ref}
		}
	}
	f.right = f.at != nil
	return out, nil
}

// resume starts a screen that is shown for the first time, since it lay below.
func (a *app) resume(x screen) action {
	if a.unseen[x] {
		delete(a.unseen, x)
		return x.start()
	}
	return nil
}
