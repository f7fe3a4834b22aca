package remote

// Said is an error as a person should read it; the client's own is under it.
type Said struct {
	Text string
	Err  error
}

func (e *Said) Error() string { return e.Text }

// Unwrap gives the client's own error.
func (e *Said) Unwrap() error { return e.Err }

// A BadAnswer is an answer with a good status that is not what was asked for.
type BadAnswer struct {
	Text string
	Hint string // empty: the answer does not look like a store's
}

func (e *BadAnswer) Error() string { return e.Text }

// A LostBody is an answer whose body broke off. It can be asked for again.
type LostBody struct{ Err error }

func (e *LostBody) Error() string { return "the answer broke off: " + e.Err.Error() }

// Unwrap gives the cause.
func (e *LostBody) Unwrap() error { return e.Err }

// RetryableError tells the AWS SDK's retryer to ask again.
func (e *LostBody) RetryableError() bool { return true }
