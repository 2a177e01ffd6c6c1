package host

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestFirstInPod finds the first process of a pod, in the groups of both drivers, and not those of other
// pods or of another name.
func TestFirstInPod(t *testing.T) {
	const uid = "0e8a7c5e-7d6b-4c7e-8f51-0a1b2c3d4e5f"
	const file = "0::/kubepods/besteffort/pod" + uid + "/3f2a\n"
	const systemd = "0::/../../kubepods-besteffort-pod0e8a7c5e_7d6b_4c7e_8f51_0a1b2c3d4e5f.slice/cri-containerd-3f2a.scope\n"
	root := t.TempDir()
	for _, p := range []struct {
		pid, parent int
		name, state string
		cgroup      string
	}{
		{1, 0, "systemd", "S", "0::/init.scope\n"},
		{70, 1, "postgres", "S", "0::/system.slice\n"},
		{90, 1, "manager", "S", file},
		{95, 90, "postgres", "Z", file},
		{100, 90, "postgres", "S", file},
		{101, 100, "postgres", "S", file},
		{99, 100, "postgres", "S", file}, // process IDs begin anew
		{200, 1, "redis-server", "S", systemd},
	} {
		dir := filepath.Join(root, fmt.Sprint(p.pid))
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		stat := fmt.Sprintf("%d (%s) %s %d 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 100 0 0 0", p.pid, p.name, p.state, p.parent)
		for name, text := range map[string]string{"stat": stat, "cgroup": p.cgroup} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		uid      string
		programs []string
		want     int
	}{
		{uid, []string{"postgres"}, 100},
		{uid, []string{"valkey-server", "redis-server"}, 200},
		{uid, []string{"fio"}, 0},
		{"another", []string{"postgres"}, 0},
	} {
		if got, err := FirstInPod(root, c.uid, c.programs); got != c.want || (err != nil) != (c.want == 0) {
			t.Errorf("%v of %s: %d, %v; want %d", c.programs, c.uid, got, err, c.want)
		}
	}
}
