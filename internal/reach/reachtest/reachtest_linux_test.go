package reachtest

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"plinth/internal/host/launch"
)

func TestMain(m *testing.M) {
	launch.GuardMain()
	Main()
	os.Exit(m.Run())
}

func TestHosts(t *testing.T) {
	before := hostMounts(t)
	n := New(t)
	a := n.Host("db1", Setup{Users: []string{"admin"}})
	b := n.Host("db2", Setup{})
	for _, tc := range []struct{ host, command, want string }{
		{"db1", "hostname; id -un; pwd", "db1\nroot\n/root\n"},
		{"admin@db1", "hostname; id -un; pwd", "db1\nadmin\n/home/admin\n"},
		{"db2", "hostname; ls -A / | grep -c .; ls -A ~ /tmp /var/tmp", ""},
	} {
		out, err := exec.Command(n.SSH, tc.host, tc.command).CombinedOutput()
		if err != nil || tc.want != "" && string(out) != tc.want {
			t.Errorf("%s: %v: %q", tc.host, err, out)
		}
	}
	if got := a.Run("ssh-keyscan -t ed25519 " + b.Address + " 2>/dev/null"); !strings.HasPrefix(got, b.Address+" ssh-ed25519 ") {
		t.Errorf("hosts cannot reach each other: %q", got)
	}
	if now := hostMounts(t); !slices.Equal(now, before) {
		t.Errorf("the mounts of this machine changed from\n%q\nto\n%q", before, now)
	}
	n.Delay(b, 50*time.Millisecond)
	began := time.Now()
	if out, err := exec.Command(n.SSH, "db2", "hostname").CombinedOutput(); err != nil || string(out) != "db2\n" {
		t.Errorf("delayed: %v, %q", err, out)
	}
	// The key exchange, the authentication and the command are more than three round trips.
	if took := time.Since(began); took < 300*time.Millisecond {
		t.Errorf("with a delay of 50ms in each direction it took %v", took)
	}
	a.Kill()
	if out, err := exec.Command(n.SSH, "-o", "ConnectTimeout=2", "db1", "hostname").CombinedOutput(); err == nil || strings.Contains(string(out), "db1\n") {
		t.Errorf("a killed host answers: %q", out)
	}
}

// hostMounts returns this machine's mounts at the places where a host mounts something of its own.
// Other tests mount and unmount elsewhere at the same time.
func hostMounts(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for line := range strings.Lines(string(text)) {
		switch where := strings.Fields(line)[1]; where {
		case "/proc", "/mnt", "/run", "/root", "/home", "/usr/local/bin", "/tmp", "/var/tmp",
			"/etc/passwd", "/etc/shadow", "/etc/group", "/etc/sudoers", "/etc/hosts":
			found = append(found, line)
		}
	}
	return found
}
