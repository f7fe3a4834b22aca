// Package remote is what the drivers of stores behind HTTP share: a failure on the
// way told in words, an answer that isn't one, a body that is counted while it is read.
package remote
