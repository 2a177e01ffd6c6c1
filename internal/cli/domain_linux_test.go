package cli

import (
	"os/exec"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"

	"plinth/internal/tune/libvirt/libvirttest"
)

// defineDomain starts a libvirt with its test driver, at $LIBVIRT, and defines one of its
// fixtures there: domain FIXTURE.
func defineDomain(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: domain FIXTURE")
	}
	d, err := libvirttest.Start()
	ts.Check(err)
	ts.Defer(d.Stop)
	ts.Setenv("LIBVIRT", d.URI())
	definition, err := filepath.Abs(filepath.Join("..", "tune", "libvirt", "testdata", args[0]+".xml"))
	ts.Check(err)
	if out, err := exec.Command("virsh", "--connect", d.URI(), "define", definition).CombinedOutput(); err != nil {
		ts.Fatalf("virsh define: %v: %s", err, out)
	}
}
