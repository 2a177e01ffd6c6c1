// Plinth measures what a database stands on.
package main

import (
	"os"

	"plinth/internal/awake"
	"plinth/internal/cli"
	"plinth/internal/driver/redisload"
	"plinth/internal/emulator"
	"plinth/internal/host/launch"
	"plinth/internal/neighbour"
)

// version is set by the Makefile from git.
var version = "unknown"

func main() {
	launch.GuardMain() // never returns when this process was started as a guard
	emulator.Main()    // nor when it was started as an emulated device
	neighbour.Main()   // nor as a neighbour's load
	redisload.Main()   // nor as a load generator
	awake.Main()       // nor as what keeps CPUs awake
	os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr, version))
}
