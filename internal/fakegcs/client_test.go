package fakegcs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"cloud.google.com/go/storage"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/iterator"
	"google.golang.org/api/option"
)

// client is Google's own client with its defaults, except the address and that it
// brings no credentials.
func client(t *testing.T, s *Server, more ...option.ClientOption) *storage.Client {
	t.Helper()
	c, err := storage.NewClient(context.Background(), append([]option.ClientOption{option.WithEndpoint(s.Endpoint()), option.WithHTTPClient(s.Client())}, more...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() }) // it gives up idle connections
	return c
}

// awkwardKeys are names that the API allows; CR and LF it does not.
func awkwardKeys() []string {
	keys := []string{
		"plain", "a b", "a+b", "100%", "50%25", "a&b=c", "<x>", `"q"`, "it's", `back\slash`, "a//b", "//a", "/a", "/", "a/", "a//",
		"./a", "a/./b", "../a", "a/../b", "a?b#c", "a;b:c@d", "~!$()*,[]{}|^`", "tab\tnew", "\x01\x1b[31m\x7f",
		"ünïcödé", "e\u0301", "😀/🎉", "\u202eright", "\ufeffbom", strings.Repeat("k", 1024), strings.Repeat("é", 512), "o", "b/o/restore", "a?generation=1",
	}
	slices.Sort(keys)
	return keys
}

// status is the HTTP status of an error; 0: none.
func status(err error) int {
	if e := (*googleapi.Error)(nil); errors.As(err, &e) {
		return e.Code
	}
	return 0
}

func write(ctx context.Context, o *storage.ObjectHandle, body string, more ...func(*storage.Writer)) (*storage.ObjectAttrs, error) {
	w := o.NewWriter(ctx)
	w.ChunkSize = chunkUnit // its default of 16 MiB costs more than all else here
	for _, f := range more {
		f(w)
	}
	if _, err := io.WriteString(w, body); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return w.Attrs(), nil
}

func read(ctx context.Context, o *storage.ObjectHandle) (string, error) {
	r, err := o.NewReader(ctx)
	if err != nil {
		return "", err
	}
	defer func() { _ = r.Close() }() // it has been read
	body, err := io.ReadAll(r)
	return string(body), err
}

// Every call of ours for every awkward name, with both of the client's ways to
// read, over http and https.
func TestGooglesClient(t *testing.T) {
	for _, c := range []struct {
		name string
		tls  bool
		more []option.ClientOption
	}{
		{"http, XML reads", false, nil},
		{"https, JSON reads", true, []option.ClientOption{storage.WithJSONReads()}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx := context.Background()
			s := start(t, Options{TLS: c.tls})
			b := client(t, s, c.more...).Bucket("b")
			numbers := map[string]int64{}
			for _, key := range awkwardKeys() {
				text := "body of " + key
				o := b.Object(key)
				attrs, err := write(ctx, o.If(storage.Conditions{DoesNotExist: true}), text)
				if err != nil {
					t.Fatalf("write %q: %v", key, err)
				}
				numbers[key] = attrs.Generation
				if attrs.Name != key || attrs.Size != int64(len(text)) || attrs.Metageneration != 1 {
					t.Errorf("write %q tells %+v", key, attrs)
				}
				if _, err := write(ctx, o.If(storage.Conditions{DoesNotExist: true}), text); status(err) != 412 {
					t.Errorf("second write %q: %v", key, err)
				}
				if got, err := o.Attrs(ctx); err != nil || got.Generation != attrs.Generation {
					t.Errorf("attrs %q: %v %v", key, got, err)
				}
				if body, err := read(ctx, o.Generation(attrs.Generation)); err != nil || body != text {
					t.Errorf("read %q: %q %v", key, body, err)
				}
				if copied, err := b.Object("copy").CopierFrom(o.Generation(attrs.Generation)).Run(ctx); err != nil || copied.Size != attrs.Size || copied.CRC32C != attrs.CRC32C {
					t.Errorf("copy %q: %+v %v", key, copied, err)
				}
				if err := b.Object("copy").Delete(ctx); err != nil {
					t.Errorf("delete the copy: %v", err)
				}
				if err := o.Delete(ctx); err != nil {
					t.Fatalf("delete %q: %v", key, err)
				}
				if _, err := o.Attrs(ctx); !errors.Is(err, storage.ErrObjectNotExist) {
					t.Errorf("attrs of a deleted %q: %v", key, err)
				}
				if _, err := read(ctx, o); !errors.Is(err, storage.ErrObjectNotExist) {
					t.Errorf("read of a deleted %q: %v", key, err)
				}
			}
			if err := b.Object("x").Delete(ctx); !errors.Is(err, storage.ErrObjectNotExist) {
				t.Errorf("delete of nothing: %v", err)
			}
			if _, err := client(t, s).Bucket("none").Object("x").Attrs(ctx); !errors.Is(err, storage.ErrObjectNotExist) && !errors.Is(err, storage.ErrBucketNotExist) {
				t.Errorf("attrs in no bucket: %v", err)
			}
			// One by one in pages of seven: names ascending, all noncurrent.
			var got []string
			it := b.Objects(ctx, &storage.Query{Versions: true, Projection: storage.ProjectionNoACL})
			it.PageInfo().MaxSize = 7
			for {
				attrs, err := it.Next()
				if errors.Is(err, iterator.Done) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				if attrs.Name == "copy" {
					continue
				}
				if attrs.Generation != numbers[attrs.Name] || attrs.Deleted.IsZero() || !attrs.Deleted.After(attrs.Created) {
					t.Errorf("listed %q %d, created %v, deleted %v", attrs.Name, attrs.Generation, attrs.Created, attrs.Deleted)
				}
				got = append(got, attrs.Name)
			}
			equal(t, "names", fmt.Sprintf("%q", got), fmt.Sprintf("%q", awkwardKeys()))
			for _, r := range s.Requests() {
				if r.Kind == "Unknown" {
					t.Errorf("not understood: %s %s?%s", r.Method, r.Key, r.Query)
				}
			}
		})
	}
}
