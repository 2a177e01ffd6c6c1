//go:build linux

package kernel

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"plinth/internal/host"
	"plinth/internal/telemetry"
)

// hundred starts a shell with a hundred children, like a server with its backends.
func hundred(t testing.TB) int {
	t.Helper()
	cmd := exec.Command("sh", "-c", "i=0; while [ $i -lt 100 ]; do sleep 600 & all=\"$all $!\"; i=$((i+1)); done; echo ready; read end; kill $all")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	if _, err := out.Read(make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid
}

func everything(t testing.TB) Options {
	server := hundred(t)
	return Options{Root: "/", Disks: liveDisks(t), Owners: map[string]func() int{
		"server": func() int { return server },
		"plinth": os.Getpid,
	}}
}

// liveDisks returns all disks of this machine that have done I/O.
func liveDisks(t testing.TB) (disks []string) {
	t.Helper()
	entries, err := os.ReadDir("/sys/block")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		disks = append(disks, e.Name())
	}
	return disks
}

func BenchmarkSource(b *testing.B) {
	lane := Lane(everything(b))
	for _, source := range lane.Sources {
		defer source.Close()
		b.Run(source.Name(), func(b *testing.B) {
			board := telemetry.NewBoard(source.Name())
			b.ReportAllocs()
			for b.Loop() {
				board.Begin(time.Time{})
				if err := source.Read(context.Background(), board); err != nil {
					b.Fatal(err)
				}
				board.End(time.Time{}, nil)
			}
		})
	}
}

// BenchmarkLane measures the cost of a second of readings, as CPU time of the reading
// thread.
func BenchmarkLane(b *testing.B) {
	lane := Lane(everything(b))
	for _, source := range lane.Sources {
		defer source.Close()
	}
	boards := map[string]*telemetry.Board{}
	for _, source := range lane.Sources {
		boards[source.Name()] = telemetry.NewBoard(source.Name())
	}
	var cpu time.Duration
	b.ReportAllocs()
	for b.Loop() {
		cpu += host.ThreadTime(func() { readAll(b, lane, boards) })
	}
	b.ReportMetric(float64(cpu.Nanoseconds())/float64(b.N), "cpu-ns/op")
}

func readAll(t testing.TB, lane telemetry.Lane, boards map[string]*telemetry.Board) {
	for _, source := range lane.Sources {
		board := boards[source.Name()]
		board.Begin(time.Time{})
		if err := source.Read(context.Background(), board); err != nil {
			t.Fatal(err)
		}
		board.End(time.Time{}, nil)
	}
}

// TestNoGarbage checks that a reading allocates nothing once its columns exist and the titles of
// the processes are known. A board grows with every reading, so all are put into one second.
func TestNoGarbage(t *testing.T) {
	lane := Lane(everything(t))
	for _, source := range lane.Sources {
		t.Run(source.Name(), func(t *testing.T) {
			defer source.Close()
			b := telemetry.NewBoard(source.Name())
			b.Begin(time.Time{})
			read := func() {
				if err := source.Read(context.Background(), b); err != nil {
					t.Fatal(err)
				}
			}
			for range mostLooks {
				read()
			}
			if allocations := testing.AllocsPerRun(20, read); allocations >= 1 {
				t.Errorf("%.0f allocations a reading", allocations)
			}
		})
	}
}
