package reach

import (
	"os"
	"strings"
	"testing"
	"time"

	"plinth/internal/host/launch"
	"plinth/internal/reach/address"
	"plinth/internal/reach/reachtest"
)

// TestCandidates: plinth is copied to the first directory that is private, has room and lets
// programs run.
func TestCandidates(t *testing.T) {
	const cache, varTmp, tmp = "/root/.cache/plinth", "/var/tmp/plinth-0", "/tmp/plinth-0"
	n := reachtest.New(t)
	for _, tc := range []struct {
		name, prepare string
		dir           string // where it is copied to
	}{
		{"usual", ":", cache},
		{"noexec", "mount -t tmpfs -o noexec tmpfs /root", varTmp},
		{"small", "mount -t tmpfs -o size=1m tmpfs /root", varTmp},
		{"readonly", "mount -t tmpfs -o ro tmpfs /root", varTmp},
		{"inodes", "mount -t tmpfs -o nr_inodes=4 tmpfs /root; mkdir -p /root/.cache/plinth; chmod 700 /root/.cache/plinth; touch /root/x || true", varTmp},
		{"symlink", "mkdir -p /root/.cache /tmp/elsewhere; ln -s /tmp/elsewhere /root/.cache/plinth", varTmp},
		{"dangling", "mkdir -p /root/.cache; ln -s /tmp/elsewhere /root/.cache/plinth", varTmp},
		{"file", "mkdir -p /root/.cache; touch /root/.cache/plinth", varTmp},
		{"foreign", "mkdir -p -m 700 /root/.cache/plinth; chown 4001 /root/.cache/plinth", varTmp},
		{"open", "mkdir -p -m 755 /root/.cache/plinth", varTmp},
		{"group", "mkdir -p /root/.cache/plinth; chmod 770 /root/.cache/plinth", varTmp},
		{"setgid", "mkdir -p /root/.cache; chmod g+s /root/.cache", cache},
		{"third", "mount -t tmpfs -o noexec tmpfs /root; mkdir -m 700 /var/tmp/plinth-0; chown 4001 /var/tmp/plinth-0", tmp},
		// A disk that says it has room, and is full in the midst of the copy.
		{"liar", "mount -t tmpfs -o size=1m tmpfs /root; printf '#!/bin/sh\\necho x; echo x 1 1 99999999 1 /\\n' >/usr/local/bin/df; chmod 755 /usr/local/bin/df", varTmp},
		{"no-df", "printf '#!/bin/sh\\nexit 1\\n' >/usr/local/bin/df; chmod 755 /usr/local/bin/df", cache},
		{"spaces", "echo 'export XDG_CACHE_HOME=\"/root/a  b*\"' >/root/.bashrc", "/root/a  b*/plinth"},
		{"relative", "echo 'export XDG_CACHE_HOME=cache' >/root/.bashrc", varTmp},
		{"no-home", "echo 'unset HOME' >/root/.bashrc", varTmp},
		{"line-break", "echo 'export XDG_CACHE_HOME=$(printf \"/root/a\\nb\")' >/root/.bashrc", varTmp},
		// Another plinth makes the directory after this one has seen that it is missing.
		{"meanwhile", "printf '#!/bin/sh\\n[ \"$1\" != -m ] || /bin/mkdir \"$@\"\\nexec /bin/mkdir \"$@\"\\n' >/usr/local/bin/mkdir; chmod 755 /usr/local/bin/mkdir", cache},
		{"strict-umask", "echo 'umask 777' >/root/.bashrc", cache},
	} {
		t.Run(tc.name, func(t *testing.T) {
			n.Host(tc.name, reachtest.Setup{Shell: "/bin/bash", Prepare: tc.prepare})
			s := mustOpen(t, n, "ssh://"+tc.name, Options{})
			if s.Directory != tc.dir && s.Directory != strings.Replace(tc.dir, varTmp, "/var/tmp/plinth", 1) || !s.Copied {
				t.Errorf("it is in %s, copied %v; want %s", s.Directory, s.Copied, tc.dir)
			}
			if got := ask(t, s, "a word"); got != "a word" {
				t.Errorf("the agent answers %q", got)
			}
			_ = s.Close()
			if tc.dir != tmp && tc.name != "spaces" {
				return // the others are like TestOpen
			}
			if s = mustOpen(t, n, "ssh://"+tc.name, Options{}); s.Copied {
				t.Error("it was copied again")
			}
		})
	}
}

func TestNoCandidate(t *testing.T) {
	n := reachtest.New(t)
	for _, tc := range []struct{ name, prepare, want, advice string }{
		{"noexec", "for d in /root /var/tmp /tmp; do mount -t tmpfs -o noexec tmpfs $d; done",
			"/root/.cache/plinth: programs cannot run there (noexec); /var/tmp/plinth-0: programs cannot run there (noexec); /tmp/plinth-0: programs cannot run there (noexec)", "XDG_CACHE_HOME"},
		{"full", "for d in /root /var/tmp /tmp; do mount -t tmpfs -o size=1m tmpfs $d; done",
			"MiB of free space; /var/tmp/plinth-0: it has less than ", "free some space"},
		{"readonly", "for d in /root /var/tmp /tmp; do mount -t tmpfs -o ro tmpfs $d; done",
			"/root/.cache/plinth: Read-only file system; /var/tmp/plinth-0: Read-only file system; /tmp/plinth-0: Read-only file system", "home directory"},
		{"planted", "mkdir -p /root/.cache /tmp/plinth-0; ln -s /tmp /root/.cache/plinth; touch /var/tmp/plinth-0; chown 4001 /tmp/plinth-0",
			"/root/.cache/plinth: it is a symbolic link; /var/tmp/plinth-0: it is not a directory; /tmp/plinth-0: it belongs to the user with id 4001", "another user"},
		{"liar", "for d in /root /var/tmp /tmp; do mount -t tmpfs -o size=1m tmpfs $d; done; printf '#!/bin/sh\\necho x; echo x 1 1 99999999 1 /\\n' >/usr/local/bin/df; chmod 755 /usr/local/bin/df",
			"/root/.cache/plinth: the copy is not complete: No space left on device; /var/tmp/plinth-0: the copy is not complete: No space", "free some space"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h := n.Host(tc.name, reachtest.Setup{Prepare: tc.prepare})
			mustFail(t, n, "ssh://"+tc.name, Options{}, tc.want, tc.advice)
			if left := h.Run("find /root /var/tmp /tmp -name '.new-*' -o -name 'plinth-????????????????'"); left != "" {
				t.Errorf("left: %q", left)
			}
		})
	}
}

// A binary that is damaged, or is another one, is replaced; one that another user could have
// changed is not run.
func TestDamagedBinary(t *testing.T) {
	n := reachtest.New(t)
	h := n.Host("db1", reachtest.Setup{})
	for name, damage := range map[string]string{
		"cut":     `truncate -s 1000000 "$f"`,
		"changed": `cp /bin/true "$f"`,
		"locked":  `chmod 600 "$f"`,
		"link":    `mv "$f" /tmp/moved; ln -s /tmp/moved "$f"`,
	} {
		s := mustOpen(t, n, "ssh://db1", Options{})
		_ = s.Close()
		h.Run("f=$(ls /root/.cache/plinth/plinth-*); " + damage)
		s = mustOpen(t, n, "ssh://db1", Options{})
		if got := ask(t, s, "a word"); got != "a word" || !s.Copied || s.Directory != "/root/.cache/plinth" {
			t.Errorf("%s: %q, %+v", name, got, s)
		}
		_ = s.Close()
	}
	h.Run("chmod 777 /root/.cache/plinth")
	if s := mustOpen(t, n, "ssh://db1", Options{}); s.Directory != "/var/tmp/plinth-0" {
		t.Errorf("it runs in %s", s.Directory)
	}
}

// Hosts without some programs.
func TestTools(t *testing.T) {
	n := reachtest.New(t)
	hide := func(names ...string) string {
		return "for p in " + strings.Join(names, " ") + "; do mount --bind /dev/null /usr/bin/$p; done"
	}
	for _, tc := range []struct{ name, prepare, want string }{
		{"no-gzip", hide("gzip"), ""},
		{"no-sha256sum", hide("sha256sum"), ""},
		{"no-hash", hide("sha256sum", "openssl"), "cannot copy plinth to no-hash: it has no program sha256sum"},
		{"no-head", hide("head"), "cannot copy plinth to no-head: it has no program head"},
	} {
		n.Host(tc.name, reachtest.Setup{Prepare: tc.prepare})
		if tc.want != "" {
			mustFail(t, n, "ssh://"+tc.name, Options{}, tc.want, "busybox")
			continue
		}
		if got := ask(t, mustOpen(t, n, "ssh://"+tc.name, Options{}), "a word"); got != "a word" {
			t.Errorf("%s: %q", tc.name, got)
		}
	}
}

// A host whose programs are those of busybox, such as Alpine's.
func TestBusybox(t *testing.T) {
	if _, err := launch.FindProgram("busybox"); err != nil && os.Getenv("CI") != "" {
		t.Fatal(err)
	} else if err != nil {
		t.Skip(err)
	}
	n := reachtest.New(t)
	h := n.Host("db1", reachtest.Setup{SSHD: "SetEnv PATH=/usr/local/bin/busy", Prepare: `mkdir /usr/local/bin/busy
for p in $(busybox --list); do ln -s "$(command -v busybox)" "/usr/local/bin/busy/$p"; done
mkdir -p /root/.cache /tmp/plinth-0; touch /root/.cache/plinth; chmod 700 /tmp/plinth-0; touch /tmp/plinth-0/.new-db1-99999
mount -t tmpfs -o size=1m tmpfs /var/tmp`})
	if out, err := launchOutput(t, n.SSH, "db1", "readlink /proc/$$/exe; sh -c 'readlink /proc/$$/exe'"); err != nil || !strings.HasSuffix(out, "busybox\n") {
		t.Fatalf("its sh is %q, %v", out, err)
	}
	for _, copied := range []bool{true, false} {
		s := mustOpen(t, n, "ssh://db1", Options{})
		if got := ask(t, s, "a word"); got != "a word" || s.Copied != copied || s.Directory != "/tmp/plinth-0" {
			t.Errorf("%q, %+v", got, s)
		}
		_ = s.Close()
	}
	if left := h.Run("ls -A /tmp/plinth-0"); strings.Contains(left, ".new") || strings.Contains(left, "\n") {
		t.Errorf("there is %q", left)
	}
	if err := Clean(t.Context(), address.Address{Host: "db1"}, Options{SSH: n.SSH}); err != nil {
		t.Error(err)
	}
	if left := h.Run("ls -A /tmp"); left != "" {
		t.Errorf("left: %q", left)
	}
}

// Over a connection with a delay, everything is the same.
func TestDelay(t *testing.T) {
	n := reachtest.New(t)
	n.Delay(n.Host("db1", reachtest.Setup{}), 20*time.Millisecond)
	for _, copied := range []bool{true, false} {
		s := mustOpen(t, n, "ssh://db1", Options{})
		if got := ask(t, s, "a word"); got != "a word" || s.Copied != copied {
			t.Errorf("%q, %+v", got, s)
		}
		if err := s.Close(); err != nil || s.Err() != nil {
			t.Errorf("%v, %v", err, s.Err())
		}
	}
}
