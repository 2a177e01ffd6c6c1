package emulator

import "os"

// processName is the first argument of an emulator's process, and its name.
const processName = "plinth-emulator"

// filesystemType is what mountinfo calls the emulator's filesystem.
const filesystemType = "fuse.plinth"

// Main turns this process into an emulator, and then never returns, when it was
// started as one. It must be called first in main and in TestMain of a program
// that emulates devices, after host.GuardMain.
func Main() {
	if len(os.Args) < 3 || os.Args[1] != processName {
		return
	}
	if len(os.Args) == 3 {
		restartTimely()
	} else if orphaned(os.Args[3]) {
		os.Exit(1)
	}
	os.Exit(serve(os.Args[2], os.Stdout, os.Stderr))
}
