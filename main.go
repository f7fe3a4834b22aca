// Command provcat-tui explores, commits and audits versioned buckets.
package main

import (
	"os"

	"provcat-tui/cli"
)

func main() { os.Exit(cli.Process(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
