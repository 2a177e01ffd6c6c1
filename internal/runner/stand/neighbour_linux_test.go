package stand

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/host/hosttest"
	"plinth/internal/host/launch"
	"plinth/internal/journal/journaltest"
	"plinth/internal/limit"
	"plinth/internal/record"
	"plinth/internal/unit"
)

// pressing returns a Builder on this machine, an environment that asks for a neighbour, and the
// machine's memory in bytes.
func pressing(t *testing.T, asked experiment.Pressure) (*Builder, *Stand, int64) {
	t.Helper()
	hosttest.NeedRoot(t)
	facts, err := host.ReadFacts()
	if err != nil {
		t.Fatal(err)
	}
	b := &Builder{launcher: launch.NewLocal(), journal: journaltest.Open(t, limit.Undoers()), Rates: Rates{Scale: 1}}
	return b, &Stand{Environment: experiment.Environment{Name: "tight", Pressure: asked}}, facts.Memory
}

// TestPress fills 48 MiB and keeps a CPU busy, in a separate group, on the server's CPUs if the
// load generator has CPUs reserved for it.
func TestPress(t *testing.T) {
	b, p, memory := pressing(t, experiment.Pressure{CPU: 1})
	p.Environment.Pressure.Memory = unit.Share(float64(48*unit.MiB) / float64(memory))
	server, err := limit.Make(b.journal, "tight", experiment.Limits{CPUs: 1}, limit.Where{})
	if err != nil {
		t.Fatal(err)
	}
	p.Group = server
	n, err := b.Press(t.Context(), p, memory)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Stop)
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", n.Load.PID()))
	alone := len(server.Rest()) == 0 // with one CPU, none can be reserved
	if want := fmt.Sprintf("Cpus_allowed_list:\t%d\n", server.CPUs()[0]); err != nil || !alone && !strings.Contains(string(status), want) {
		t.Errorf("it may run elsewhere than the server: %v\n%s", err, status)
	}
	// The process itself uses some MiB.
	if reached := awaitReached(t, n); reached.Memory+reached.Swapped > 1.3*n.asked.Memory || reached.Killed || reached.Volume != "" || reached.Write != 0 {
		t.Errorf("asked for %+v it reached %+v", n.asked, reached)
	}
	n.Stop()
	n.Stop()
	for _, dir := range n.group.Directories() {
		if _, err := os.Stat(dir); !os.IsNotExist(err) {
			t.Errorf("%s is left", dir)
		}
	}
	if err := server.Remove(t.Context()); err != nil {
		t.Error(err)
	}
	if left := b.journal.Entries(); len(left) > 0 {
		t.Errorf("in the journal: %+v", left)
	}
}

// awaitReached waits until a neighbour has filled its memory and has run on a CPU.
func awaitReached(t *testing.T, n *Neighbour) *record.Pressure {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	var last *record.Pressure
	for end := time.Now().Add(time.Minute); ; <-tick.C {
		reached, err := n.Reached()
		if err != nil {
			t.Fatal(err)
		}
		if reached.Memory > 0 {
			last = reached
		}
		if reached.Memory+reached.Swapped >= 0.98*n.asked.Memory && reached.CPU > 0 {
			return reached
		}
		if time.Now().After(end) {
			t.Fatalf("asked for %+v it reached %+v", n.asked, last)
		}
	}
}

// TestPressKilled checks that a neighbour may be killed when memory runs out, and that its exit
// is an error if it fills no memory.
func TestPressKilled(t *testing.T) {
	for _, asked := range []experiment.Pressure{{Memory: 0.0001, CPU: 1}, {CPU: 1}} {
		b, p, memory := pressing(t, asked)
		n, err := b.Press(t.Context(), p, memory)
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(n.Load.PID(), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		<-n.Load.Done()
		reached, err := n.Reached()
		if fills := asked.Memory > 0; fills != (err == nil) || fills && !reached.Killed {
			t.Errorf("%+v: %+v, %v", asked, reached, err)
		}
		n.Stop()
	}
}

// TestPressureOf checks the requested load in the record.
func TestPressureOf(t *testing.T) {
	for _, tc := range []struct {
		asked experiment.Pressure
		want  *record.Pressure
	}{
		{experiment.Pressure{}, nil},
		{experiment.Pressure{Volume: "data"}, nil},
		{experiment.Pressure{Write: 5}, &record.Pressure{Volume: "data", Write: 5}},
		{experiment.Pressure{Volume: "data", Memory: 0.8, CPU: 2}, &record.Pressure{Memory: 0.8, CPU: 2}},
		{experiment.Pressure{Volume: "wal", Read: 7, CPU: 2}, &record.Pressure{Volume: "wal", Read: 7, CPU: 2}},
	} {
		got := PressureOf(experiment.Environment{Pressure: tc.asked})
		if (got == nil) != (tc.want == nil) || got != nil && *got != *tc.want {
			t.Errorf("%+v: %+v, want %+v", tc.asked, got, tc.want)
		}
	}
}
