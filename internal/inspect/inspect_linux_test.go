package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"plinth/internal/engine/postgres/examine"
	"plinth/internal/host"
	"plinth/internal/host/hosttest"
)

// TestLook inspects the machine of the test.
func TestLook(t *testing.T) {
	t.Parallel() // Look waits to measure CPU use
	dir := t.TempDir()
	i, err := Look(t.Context(), Target{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if i.Schema != Schema || i.Target != dir || i.Server != nil || i.Machine.CPU.Online == 0 || i.Machine.Memory.Total == 0 {
		t.Errorf("it is %+v", i)
	}
	if p := i.Machine.Places; len(p) != 1 || p[0].Role != "data" || p[0].Path != dir || p[0].Size == 0 {
		t.Errorf("the places are %+v", p)
	}
	text, err := json.Marshal(i)
	if err != nil || strings.Contains(string(text), `"findings":null`) || strings.Contains(string(text), `"gaps":null`) {
		t.Errorf("as JSON it is %s, %v", text, err)
	}
}

func TestLookIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Look(ctx, Target{Dir: "/"}); !errors.Is(err, context.Canceled) {
		t.Errorf("it says %v", err)
	}
}

// TestHelp checks that each user who could read more is listed once, and that one role replaces
// several.
func TestHelp(t *testing.T) {
	i := Inspection{Server: &examine.Facts{}, Machine: host.Inventory{
		Gaps:   []host.Gap{{What: "memory", Why: "/proc/meminfo: permission denied"}, {What: "swap", Why: "no such file"}},
		Places: []host.Place{{Role: "wal", Gaps: []host.Gap{{What: "disks", Why: "operation not permitted"}}}},
	}}
	i.addServerGaps([]examine.Gap{{What: "a", Role: "pg_monitor"}, {What: "b", Role: "pg_read_all_stats"}, {What: "c", Why: "timeout"}})
	i.addMachineGaps()
	var got []string
	for _, h := range i.Help() {
		got = append(got, h.Who+": "+strings.Join(h.Adds, ", "))
	}
	if want := []string{"root: memory, disks of wal", "the role pg_monitor: a, b"}; !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if unknown := i.Unknown(); len(unknown) != 2 || unknown[0].What != "c" || unknown[1].What != "swap" {
		t.Errorf("unknown: %v", unknown)
	}
	if len(i.Machine.Gaps)+len(i.Machine.Places[0].Gaps)+len(i.Server.Gaps) > 0 {
		t.Error("gaps are in two places")
	}
}

// TestLookAtRedis inspects and watches a real Redis through its socket, with the machine under
// it.
func TestLookAtRedis(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("redis-server")
	if err != nil && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	dir, err := os.MkdirTemp("", "look") // the length of a socket's path is limited
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	server := exec.Command(program, "--port", "0", "--unixsocket", socket, "--dir", dir, "--save", "", "--appendonly", "yes")
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	hosttest.WaitFor(t, "the server to listen", func() bool {
		conn, err := net.Dial("unix", socket)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
	target, err := ParseTarget(socket)
	if err != nil {
		t.Fatal(err)
	}
	seen, err := Look(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	if seen.Redis == nil || seen.Server != nil || !seen.Here || seen.PID != server.Process.Pid || len(seen.Machine.Places) != 1 || seen.Files == 0 {
		t.Errorf("it is %+v", seen)
	}
	if !slices.ContainsFunc(seen.Findings, func(f Finding) bool { return f.Rule == "redis-fsync-everysec" }) {
		t.Errorf("found %v", seen.Findings)
	}
	w, err := Watch(t.Context(), target, seen, time.Second, func(time.Duration) {})
	if err != nil {
		t.Fatal(err)
	}
	tps := named(w.Points.Columns, "tps")
	if len(tps) != 1 || w.Environment.Server != "Redis" || w.Environment.Transport != "socket" {
		t.Errorf("watched: %v, %+v", tps, w.Environment)
	}
}
