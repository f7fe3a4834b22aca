//go:build !unix

package whole

// Lock does nothing where folders cannot be locked.
func Lock(string) (unlock func()) { return func() {} }
