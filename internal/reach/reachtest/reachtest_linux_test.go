package reachtest

import (
	"os"
	"os/exec"
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
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		t.Fatal(err)
	}
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
	if now, err := os.ReadFile("/proc/self/mounts"); err != nil || string(now) != string(mounts) {
		t.Errorf("the mounts of this machine changed: %v\n%s", err, now)
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
