package cli

import (
	"os"
	"os/exec"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// loop makes a block device until the script ends: loop DISK 512MiB puts its path into
// the variable DISK. What is mounted of it then is unmounted.
func loop(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: loop VARIABLE SIZE")
	}
	file := ts.MkAbs(args[0] + ".disk")
	out, err := exec.Command("truncate", "--size="+args[1], file).CombinedOutput()
	if err == nil {
		out, err = exec.Command("losetup", "--find", "--show", file).CombinedOutput()
	}
	if err != nil {
		ts.Fatalf("%v: %s", err, out)
	}
	device := strings.TrimSpace(string(out))
	ts.Setenv(args[0], device)
	ts.Defer(func() {
		_ = exec.Command("umount", "--all-targets", device).Run() // most are not mounted
		if out, err := exec.Command("losetup", "--detach", device).CombinedOutput(); err != nil {
			ts.Logf("losetup: %v: %s", err, out)
		}
		_ = os.Remove(file)
	})
}
