//go:build race

package views

// raceOn: the race detector makes everything many times slower.
const raceOn = true
