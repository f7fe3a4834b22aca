package bucket

import "context"

type warnKey struct{}

// WithWarn gives a context in which drivers tell f what a person should know of the way
// to a bucket, such as that it is open to others: a clause, without secrets and with
// nothing unescaped. f may be called by several goroutines at once, and more than once
// with the same text.
func WithWarn(ctx context.Context, f func(text string)) context.Context {
	return context.WithValue(ctx, warnKey{}, f)
}

// Warn is for drivers: it tells a text to whoever wants to know. An empty one is none.
func Warn(ctx context.Context, text string) {
	if f, ok := ctx.Value(warnKey{}).(func(string)); ok && text != "" {
		f(text)
	}
}
