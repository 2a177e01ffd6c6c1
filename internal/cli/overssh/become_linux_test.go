package overssh

import (
	"strings"
	"testing"

	"plinth/internal/reach/reachtest"
)

// TestBecome runs commands as root by sudo, in a directory that root alone can enter.
func TestBecome(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.hosts["db1"] = l.net.Host("db1", reachtest.Setup{Prepare: prepare + "mkdir -m 700 /root/private && mkdir /root/private/data", Users: []string{"admin"}})
	l.write("private.yaml", "workloads: [select-only]\nenvironments:\n  one: {storage: {data: /root/private/data}}\n")
	on := []string{"--on", "ssh://admin@db1"}
	for _, args := range [][]string{
		{"inspect", "/root/private/data"},
		{"tune", "plan", "ebs-kernel", "--data", "/root/private/data"},
		{"probe", "/root/private/data", "--size", "16MiB", "--for", "6s"},
		{"run", "private.yaml", "--dry-run"},
		{"clean"},
	} {
		if args[0] != "clean" {
			if said, code := l.plinth(append(args, on...)...); code == 0 {
				t.Errorf("%v without sudo: exit code 0: %s", args, said)
			}
		}
		args = append(append(args, on...), "--become=sudo")
		said, code := l.plinth(args...)
		if code != 1 || !strings.Contains(said, "cannot run plinth as root on db1: sudo: a password is required\nhint: add this rule with visudo") {
			t.Errorf("%v, which sudo refuses: exit code %d: %s", args, code, said)
		}
		l.hosts["db1"].Run("echo 'admin ALL=(root) NOPASSWD: ALL' >>/etc/sudoers")
		if said, code := l.plinth(args...); code != 0 {
			t.Errorf("%v: exit code %d: %s", args, code, said)
		}
		l.hosts["db1"].Run("grep -v '^admin' /etc/sudoers >/tmp/sudoers; cat /tmp/sudoers >/etc/sudoers; rm /tmp/sudoers")
	}
	l.clean("db1")
}
