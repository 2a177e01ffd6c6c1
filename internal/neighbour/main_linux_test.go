package neighbour

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"plinth/internal/host"
	"plinth/internal/unit"
)

// TestMain lets this test binary be a guard, a load, or a plinth that is going to be
// killed.
func TestMain(m *testing.M) {
	host.GuardMain()
	Main()
	if dir := os.Getenv("PLINTH_TEST_DIRECTORY"); dir != "" {
		startAndWait(dir)
	}
	os.Exit(m.Run())
}

func startAndWait(dir string) {
	load, err := Start(context.Background(), host.NewLocal(), Options{Directory: dir, Write: 1 * unit.Rate(unit.MiB)})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(load.PID())
	select {}
}

// onDisk is a directory on a disk, unlike t.TempDir() where /tmp is memory.
func onDisk(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "plinth-test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func startHere(t *testing.T, o Options) *Load {
	t.Helper()
	load, err := Start(t.Context(), host.NewLocal(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := load.Stop(); err != nil {
			t.Error(err)
		}
	})
	return load
}

// waitFor waits until it is so, and fails after ten seconds.
func waitFor(t *testing.T, what string, so func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(10 * time.Second); !so(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}
