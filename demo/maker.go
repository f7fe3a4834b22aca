package demo

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/local"
	"provcat-tui/commit"
)

// The bucket's history runs over these days.
var (
	firstDay = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC) // a Monday
	lastDay  = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
)

// A maker writes the bucket's history on a clock of its own.
type maker struct {
	ctx context.Context
	b   *local.Bucket
	mu  sync.Mutex
	// clock is the time of the next write. Each reading moves it a little, so
	// that things happen one after the other.
	clock time.Time
	ids   *rand.Rand // version IDs
	data  *rand.Rand // what the files hold
}

func newMaker(ctx context.Context) *maker {
	return &maker{ctx: ctx, clock: firstDay,
		ids:  rand.New(rand.NewPCG(2026, 1)),
		data: rand.New(rand.NewPCG(2026, 2))}
}

// tick is the clock of the bucket and of the people who write to it.
func (m *maker) tick() time.Time {
	return m.pass(7_310 * time.Microsecond)
}

func (m *maker) pass(d time.Duration) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.clock = m.clock.Add(d)
	return m.clock
}

// at moves the clock on to a time of day, never back.
func (m *maker) at(day time.Time, clock string) error {
	t, err := time.Parse("15:04", clock)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	next := day.Add(time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute)
	if next.After(m.clock) {
		m.clock = next
	}
	return nil
}

func (m *maker) newID() string {
	var raw [24]byte
	for i := 0; i < len(raw); i += 8 {
		binary.LittleEndian.PutUint64(raw[i:], m.ids.Uint64())
	}
	return base64.RawURLEncoding.EncodeToString(raw[:])
}

func (m *maker) put(key, body string) error {
	_, err := m.b.Put(m.ctx, key, strings.NewReader(body))
	return err
}

func (m *maker) remove(key string) error {
	_, err := m.b.Delete(m.ctx, key)
	return err
}

// commit commits a folder, as a person who runs the program does.
func (m *maker) commit(folder, author, message string) error {
	r, err := m.write(m.ctx, m.b, folder, author, message)
	if err != nil {
		return fmt.Errorf("commit %s (%q): %w", folder, message, err)
	}
	if !r.Committed {
		return fmt.Errorf("commit %s (%q): there was nothing to commit", folder, message)
	}
	return nil
}

func (m *maker) write(ctx context.Context, b bucket.Bucket, folder, author, message string) (commit.Result, error) {
	return commit.Write(ctx, b, folder, commit.WriteOptions{
		Author: author, Message: message,
		Now: m.tick,
		// One read after the other: the same order on every run.
		Concurrency: 1,
		Sleep: func(ctx context.Context, d time.Duration) error {
			m.pass(d)
			return ctx.Err()
		},
	})
}
