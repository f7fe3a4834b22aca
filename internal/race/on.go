//go:build race

package race

// On says that the race detector is on: it makes all of ours many times slower.
const On = true
