package inspect

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"plinth/internal/host/hosttest"
)

// TestLookAtRedis: a real one is looked at and watched by its socket, and what stands
// under it, too.
func TestLookAtRedis(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("redis-server")
	if err != nil && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	dir, err := os.MkdirTemp("", "look") // a socket's path is short
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
