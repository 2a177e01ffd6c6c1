package neighbour

import (
	"context"
	"fmt"
	"os"
	"testing"

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
