//go:build !race

package audit

const raceOn = false
