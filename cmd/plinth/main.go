// Plinth measures what a database stands on.
package main

import (
	"os"

	"plinth/internal/cli"
	"plinth/internal/host"
)

// version is set by the Makefile from git.
var version = "unknown"

func main() {
	host.GuardMain() // never returns when this process was started as a guard
	os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr, version))
}
