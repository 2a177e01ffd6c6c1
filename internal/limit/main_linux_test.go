package limit

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"plinth/internal/host/hosttest"
	"plinth/internal/host/launch"
)

// TestMain lets this test binary be a guard, a limited program, or a plinth that is
// going to be killed.
func TestMain(m *testing.M) {
	launch.GuardMain()
	if help := helpers[os.Getenv("PLINTH_TEST_HELPER")]; help != nil {
		help()
		syscall.Exit(0) // os.Exit would wait a second with the race detector
	}
	os.Exit(m.Run())
}

var helpers = map[string]func(){
	"affinity": printAffinity, "nodes": printNodes, "eat": eat, "killed": makeAndWait, "huge": mapHuge,
}

func printAffinity() {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	for cpu := range 1024 {
		if set.IsSet(cpu) {
			fmt.Println(cpu)
		}
	}
}

// eat uses 256 MiB of memory, 1 MiB after the other.
func eat() {
	var all [][]byte
	for i := range 256 {
		all = append(all, bytes.Repeat([]byte{byte(i + 1)}, 1<<20))
	}
	fmt.Println("ate", len(all))
}

// mapped is how much mapHuge maps.
const mapped = 64 << 20

// mapHuge maps memory in reserved huge pages, and waits for a signal.
func mapHuge() {
	if _, err := unix.Mmap(-1, 0, mapped, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANONYMOUS|unix.MAP_HUGETLB); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("mapped")
	_ = unix.Pause()
}

// needController skips where the kernel, or the container, has no such controller
// for a group of ours.
func needController(t *testing.T, controllers ...string) machine {
	t.Helper()
	hosttest.NeedRoot(t)
	m, err := look("/")
	if err != nil {
		t.Fatal(err)
	}
	for _, controller := range controllers {
		if err := m.checkController(controller); err != nil {
			t.Skip(err)
		}
	}
	if _, err := m.parents(controllers); err != nil {
		t.Skip(err)
	}
	return m
}

// run runs a helper in a group, and is what it said.
func run(t *testing.T, g *Group, helper string) (string, launch.ExitStatus) {
	t.Helper()
	var out bytes.Buffer
	p, err := launch.NewLocal().Start(launch.Command{Path: os.Args[0], Groups: g.Directories(),
		Env: append(os.Environ(), "PLINTH_TEST_HELPER="+helper), Stdout: &out, Stderr: &out})
	if err != nil {
		t.Fatal(err)
	}
	status, err := p.Wait()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out.String()), status
}
