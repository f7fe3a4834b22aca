//go:build !race

// Package race tells tests whether the race detector is on, so that those of sheer
// volume may do less.
package race

// On says that the race detector is on.
const On = false
