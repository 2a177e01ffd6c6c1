package overssh

import (
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"plinth/internal/engine/life"
	"plinth/internal/reach/reachtest"
	"plinth/internal/record"
)

// guest compares this machine with one that has its own kernel and no network.
const guest = `name: guest
workloads: [select-only]
clients: [2]
duration: 1s
warmup: 0s
repeats: 2
dataset: {scale: 1}
environments:
  host:  {storage: {data: .}}
  guest: {at: {command: [PROGRAM, connect, SOCKET]}, storage: {data: /var/tmp}}
`

// serve serves a guest to the plinth on its host, over a virtio-serial port. To write waits until the
// host has connected; an empty line is skipped there. When the host has disconnected, the input ends.
const serve = `export PLINTH_STATE=/var/tmp/state # not the host's, which it can read
while :; do
	echo serving
	(echo && exec "$0" agent) <>/dev/virtio-ports/plinth >&0
done`

// TestGuest enters a virtual machine over a virtio-serial port. A plinth that is killed ends the
// connection: the agent in the guest puts everything back, and serves the next one.
func TestGuest(t *testing.T) {
	if os.Getenv("PLINTH_TEST_GUEST") == "" {
		t.Skip("make vm runs it: it needs QEMU, and the test's program where the guest sees it")
	}
	l := &lab{t: t, net: &reachtest.Net{}, dir: t.TempDir()}
	socket, console := filepath.Join(l.dir, "guest.sock"), &output{}
	vm := exec.CommandContext(t.Context(), "../../../scripts/vm", "bash", "-c", serve, os.Args[0])
	vm.Env = append(os.Environ(), "PLINTH_VM_SOCKET="+socket)
	vm.Stdout, vm.Stderr = console, console
	vm.Cancel = func() error { return vm.Process.Signal(syscall.SIGTERM) }
	if err := vm.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = vm.Wait() })
	serving := func(times int) {
		t.Helper()
		err := life.Poll(t.Context(), 10*time.Minute, func() bool { return strings.Count(console.String(), "serving\n") >= times })
		if err != nil {
			t.Fatalf("the guest does not serve: %s", console)
		}
	}
	serving(1)
	l.write("guest.yaml", strings.NewReplacer("PROGRAM", os.Args[0], "SOCKET", socket).Replace(guest))
	s := begin(l, "guest.yaml")
	s.await("run", func() bool { return len(l.runs()) > 0 || len(s.ended) > 0 })
	s.kill()
	if err := <-s.ended; err == nil {
		t.Error("it was not killed")
	}
	serving(2)
	if said, code := l.plinth("run", "--resume", "latest"); code != 0 || strings.Contains(said, socket+": an earlier plinth process crashed") {
		t.Errorf("exit code %d: %s\nthe guest said: %s", code, said, console)
	}
	rec := l.record()
	machines := rec.Summary.Machines
	if at := rec.Environments["guest"].At; len(machines) != 2 || machines[""].Kernel == machines[at].Kernel {
		t.Errorf("%q ran on %+v", at, machines)
	}
	for _, run := range rec.Runs {
		if run.Status == record.Failed {
			t.Errorf("run %d in %s failed: %v", run.Number, run.Environment, run.Reasons)
		}
	}
	for _, note := range rec.Summary.Warnings {
		if note.Rule == "one-kernel" {
			t.Errorf("it says %s", note.Text)
		}
	}
}

// connectMain connects standard input and output with a Unix socket, as socat does, and exits when
// either side ends. It returns in other processes.
func connectMain() {
	if len(os.Args) != 3 || os.Args[1] != "connect" {
		return
	}
	socket, err := net.Dial("unix", os.Args[2])
	if err != nil {
		_, _ = os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
	go func() {
		_, _ = io.Copy(socket, os.Stdin)
		os.Exit(0)
	}()
	_, _ = io.Copy(os.Stdout, socket)
	os.Exit(0)
}
