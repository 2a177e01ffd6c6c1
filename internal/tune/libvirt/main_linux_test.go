package libvirt

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"plinth/internal/host/hosttest"
	"plinth/internal/host/launch"
	"plinth/internal/tune/libvirt/libvirttest"
)

func TestMain(m *testing.M) {
	launch.GuardMain()
	code := m.Run()
	if daemon.Daemon != nil {
		daemon.Stop()
	}
	os.Exit(code)
}

// daemon is the libvirtd of these tests.
var daemon struct {
	once sync.Once
	*libvirttest.Daemon
	err error
}

// uri returns the connection URI of the test driver.
func uri(t *testing.T) string {
	t.Helper()
	daemon.once.Do(func() { daemon.Daemon, daemon.err = libvirttest.Start() })
	if daemon.err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(daemon.err)
		}
		t.Skip(daemon.err)
	}
	return daemon.URI()
}

// sh runs virsh as an administrator does, and returns its output.
func sh(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("virsh", append([]string{"--quiet", "--connect", uri(t)}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("virsh %v: %v: %s", args, err, out)
	}
	return string(out)
}

var defined atomic.Int64

// define defines a domain for the test from a fixture, under another name.
func define(t *testing.T, from string) *Domain {
	t.Helper()
	name := fmt.Sprintf("%s-%s-%d", from, t.Name(), defined.Add(1))
	text := strings.Replace(fixture(t, from), "<name>"+from+"</name>", "<name>"+name+"</name>", 1)
	path := filepath.Join(hosttest.OpenDir(t), "domain.xml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	sh(t, "define", path)
	t.Cleanup(func() { sh(t, "undefine", name) })
	v, err := newVirsh(launch.NewLocal(), uri(t))
	if err != nil {
		t.Fatal(err)
	}
	return &Domain{v, name}
}
