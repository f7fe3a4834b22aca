//go:build race

package audit

// raceOn says that the race detector is on: it makes the embedded bucket ten times
// slower, and finds as much in a tenth of the histories.
const raceOn = true
