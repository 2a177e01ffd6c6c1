//go:build linux

package watch

import (
	"bufio"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"plinth/internal/host/hosttest"
	"plinth/internal/host/launch"

	"golang.org/x/sys/unix"
)

// helpers are what this test binary can be besides a test.
var helpers = map[string]func(){"burner": burner, "writer": writer}

// burner keeps THREADS threads busy, all on one CPU, until a signal ends it.
func burner() {
	signal.Reset()
	threads, _ := strconv.Atoi(os.Getenv("THREADS"))
	for range threads {
		go burn()
	}
	fmt.Println("ready")
	select {}
}

func burn() {
	runtime.LockOSThread() // the thread ends with the goroutine
	var one unix.CPUSet
	one.Set(0)
	_ = unix.SchedSetaffinity(0, &one) // where CPU 0 is not allowed, the test sees it
	for n := 0; n >= 0; n++ {          // until a signal ends the process
	}
}

// writer writes WRITE bytes to FILE and makes them durable.
func writer() {
	size, _ := strconv.Atoi(os.Getenv("WRITE"))
	f, err := os.Create(os.Getenv("FILE"))
	if err == nil {
		_, err = f.Write(make([]byte, size))
	}
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// startHelper starts this test binary as a helper, under a guard.
func startHelper(t testing.TB, name string, env ...string) launch.Process {
	t.Helper()
	if helpers[name] == nil {
		t.Fatalf("there is no helper %s", name)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ready, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer ready.Close()
	p, err := launch.NewLocal().Start(launch.Command{Path: exe, Stdout: out,
		Env: append([]string{"PLINTH_TEST_HELPER=" + name}, env...)})
	_ = out.Close()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Stop() })
	_, _ = bufio.NewReader(ready).ReadString('\n') // until it is ready, or has ended
	return p
}

// parkThreads holds n threads of this process, which wait until stop is called.
func parkThreads(n int) (stop func()) {
	var parked, ended sync.WaitGroup
	release := make(chan struct{})
	for range n {
		parked.Add(1)
		ended.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			parked.Done()
			<-release
		})
	}
	parked.Wait()
	return func() { close(release); ended.Wait() }
}

// otherUser is an account that is not root's.
func otherUser(t testing.TB) *launch.User {
	t.Helper()
	hosttest.NeedRoot(t)
	user, err := launch.ServerUser()
	if err != nil {
		t.Fatal(err)
	}
	return user
}
