// Command screenshots takes the pictures of the screens: it runs the real
// program in a terminal of its own on the demo bucket, presses keys, and writes
// what the terminal shows as PNG.
//
//	go run ./screenshots [-only WORD] [-out FOLDER]
//
// It needs rsvg-convert and two fonts (Debian: librsvg2-bin, fonts-jetbrains-mono,
// fonts-noto-cjk).
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
)

func main() {
	only := flag.String("only", "", "take only the scenes whose name contains this")
	out := flag.String("out", "screenshots", "the folder for the pictures")
	binary := flag.String("binary", "", "the program; built from this folder's module if empty")
	text := flag.Bool("text", false, "also print each screen as text")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, *only, *out, *binary, *text)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "screenshots:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, only, out, binary string, text bool) error {
	if _, err := exec.LookPath("rsvg-convert"); err != nil {
		return errors.New("rsvg-convert is missing; on Debian: apt-get install librsvg2-bin fonts-jetbrains-mono fonts-noto-cjk")
	}
	st, err := newStage(ctx, binary)
	if err != nil {
		return err
	}
	defer st.strike()
	taken := 0
	for _, s := range scenes {
		if !strings.Contains(s.name, only) {
			continue
		}
		sc, err := st.play(ctx, s)
		if err != nil {
			return fmt.Errorf("scene %s: %w", s.name, err)
		}
		if text {
			fmt.Printf("--- %s\n%s\n", s.name, sc.text())
		}
		name := filepath.Join(out, s.name+".png")
		if err := sc.picture(ctx, name, s.look); err != nil {
			return fmt.Errorf("scene %s: %w", s.name, err)
		}
		fmt.Println(name)
		taken++
	}
	if taken == 0 {
		return fmt.Errorf("no scene's name contains %q", only)
	}
	return nil
}
