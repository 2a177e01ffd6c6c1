package cli

import (
	"fmt"
	"os"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

// condition adds [root] to the conditions of scripts. Where everything is to be
// tested, a test that needs root may not be passed over.
func condition(name string) (bool, error) {
	if name != "root" {
		return false, fmt.Errorf("unknown condition %s", name)
	}
	return os.Geteuid() == 0 || os.Getenv("CI") != "", nil
}

// tmpfs mounts a filesystem in memory until the script ends: tmpfs DIR 100m, or
// tmpfs DIR ro for one that can't be written.
func tmpfs(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: tmpfs DIR SIZE|ro")
	}
	dir := ts.MkAbs(args[0])
	ts.Check(os.Mkdir(dir, 0o755))
	var flags uintptr
	options := "mode=755,size=" + args[1]
	if args[1] == "ro" {
		flags, options = syscall.MS_RDONLY, "mode=755"
	}
	ts.Check(syscall.Mount("plinth-test", dir, "tmpfs", flags, options))
	ts.Defer(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
}
