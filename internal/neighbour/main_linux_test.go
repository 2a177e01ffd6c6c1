package neighbour

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"plinth/internal/host/launch"
	"plinth/internal/unit"
)

// TestMain lets this test binary be a guard, a load, or a plinth that is going to be
// killed.
func TestMain(m *testing.M) {
	mostSize = 8 * unit.MiB
	launch.GuardMain()
	Main()
	if dir := os.Getenv("PLINTH_TEST_DIRECTORY"); dir != "" {
		startAndWait(dir)
	}
	if os.Getenv("PLINTH_TEST_BIG") != "" {
		takeMore()
	}
	os.Exit(m.Run())
}

// takeMore takes 96 MiB of memory, and 32 more when it is told to.
func takeMore() {
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGUSR1)
	noise := make([]byte, 96<<20)
	_, _ = rand.Read(noise)
	fmt.Println(`{"at":0}`)
	<-told
	more := make([]byte, 32<<20)
	_, _ = rand.Read(more)
	<-told
	fmt.Println(len(noise), len(more))
}

func startAndWait(dir string) {
	load, err := Start(context.Background(), launch.NewLocal(), Options{Directory: dir, Write: 1 * unit.Rate(unit.MiB)})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(load.PID())
	select {}
}

func startHere(t testing.TB, o Options) *Load {
	t.Helper()
	load, err := Start(t.Context(), launch.NewLocal(), o)
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
