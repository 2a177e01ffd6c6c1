// Plinth benchmarks and tunes the storage, kernel and machine under PostgreSQL and Redis.
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

// version is set from git by the Makefile.
var version = "unknown"

func main() {
	launch.GuardMain() // does not return if this process is a guard
	emulator.Main()    // or an emulated device
	neighbour.Main()   // or a neighbour's load
	redisload.Main()   // or a load generator
	awake.Main()       // or keeps CPUs awake
	os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr, version))
}
