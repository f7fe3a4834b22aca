package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestStep(t *testing.T) {
	for most, want := range map[float64]float64{10: 2, 1: 0.2, 1.4: 0.25, 2.9: 0.5, 60: 10, 730: 100, 45: 10} {
		if got := step(most); got != want {
			t.Errorf("up to %g: lines %g apart, want %g", most, got, want)
		}
	}
}

// The picture is well-formed, and a point lies where its figures say: 5 of 10 million
// in the middle of the panel's width, 30 of 60 s in the middle of its height.
func TestDrawing(t *testing.T) {
	got := string(drawing([]point{{"walk", 5_000_000, 30, 20, 50}, {"audit", 10_000_000, 60, 90, 500}}))
	for d := xml.NewDecoder(strings.NewReader(got)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(got, `<circle cx="280" cy="210" r="4" fill="#0072b2"/>`) || strings.Count(got, "<circle") != 6 {
		t.Error(got)
	}
}
