//go:build !race

package views

const raceOn = false
