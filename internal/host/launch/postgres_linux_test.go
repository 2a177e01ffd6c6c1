package launch

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"plinth/internal/host"
)

// postgres returns a server in data, with its sockets there.
func postgres(bin, data string, user *User) Command {
	return Command{
		Path: filepath.Join(bin, "postgres"), Dir: data, User: user, Env: []string{},
		Args: []string{"-D", data, "-k", data, "-c", "listen_addresses=", "-c", "fsync=off"},
		Stop: syscall.SIGQUIT, Grace: 10 * time.Second,
	}
}

// needPostgres returns the directory of the newest installed server programs.
func needPostgres(t *testing.T) string {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		if os.Getenv("CI") != "" {
			t.Fatal("needs PostgreSQL in /usr/lib/postgresql")
		}
		t.Skip("needs PostgreSQL in /usr/lib/postgresql")
	}
	return filepath.Dir(found[len(found)-1])
}

func initData(t *testing.T, bin string, user *User) string {
	t.Helper()
	data, err := os.MkdirTemp("/tmp", "plinth-test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(data) })
	if user != nil {
		if err := os.Chown(data, user.UID, user.GID); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	p := start(t, Command{Path: filepath.Join(bin, "initdb"), Args: []string{"-D", data, "-N", "-A", "trust", "-U", "plinth"},
		Dir: data, User: user, Stdout: &out, Stderr: &out})
	if status, err := p.Wait(); status.Code != 0 || err != nil {
		t.Fatalf("initdb: %+v, %v: %s", status, err, out.String())
	}
	return data
}

// TestPostgresEndsWithWhoeverIsKilled kills plinth, or the guard, under a real server: its
// processes, sockets and shared memory end, too.
func TestPostgresEndsWithWhoeverIsKilled(t *testing.T) {
	bin := needPostgres(t)
	user, err := ServerUser()
	if err != nil {
		t.Fatal(err)
	}
	data := initData(t, bin, user)
	for _, victim := range []string{"plinth", "guard", "both"} {
		t.Run(victim, func(t *testing.T) {
			before := segmentsOf(t, "")
			tr := growPostgres(t, bin, data)
			began := time.Now()
			if victim != "guard" {
				kill(t, tr.plinth.Process.Pid)
			}
			if victim != "plinth" {
				kill(t, tr.guard)
			}
			waitFor(t, "the guard and the server to end", func() bool {
				return !alive(tr.guard) && len(processesIn(data)) == 0
			})
			t.Logf("all had ended after %v", time.Since(began))
			for _, name := range []string{"postmaster.pid", ".s.PGSQL.5432", ".s.PGSQL.5432.lock"} {
				if _, err := os.Lstat(filepath.Join(data, name)); err == nil {
					t.Errorf("%s is left", name)
				}
			}
			for _, id := range segmentsOf(t, itoa(tr.program)) {
				if !slices.Contains(before, id) { // of an earlier process with this PID
					t.Errorf("the shared memory %s is left", id)
				}
			}
		})
	}
}

// segmentsOf returns the ids of the System V shared memory that a process created (proc_sysvipc(5)); of all
// processes if creator is "".
func segmentsOf(t *testing.T, creator string) (ids []string) {
	t.Helper()
	text, err := os.ReadFile("/proc/sysvipc/shm")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 4 && (creator == "" || fields[4] == creator) {
			ids = append(ids, fields[1])
		}
	}
	return ids
}

// growPostgres starts a plinth that starts a server, and waits until it accepts connections.
func growPostgres(t *testing.T, bin, data string) tree {
	t.Helper()
	c := helper(t, "plinth", "POSTGRES="+bin, "DATA="+data)
	tr := tree{plinth: &exec.Cmd{Path: c.Path, Args: []string{c.Path}, Env: c.Env}}
	out, err := tr.plinth.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.plinth.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tr.plinth.Process.Kill(); _ = tr.plinth.Wait() })
	lines := bufio.NewScanner(out)
	if !lines.Scan() || !strings.HasPrefix(lines.Text(), "pid ") {
		t.Fatalf("the helper says %q", lines.Text())
	}
	tr.program = atoi(t, strings.TrimPrefix(lines.Text(), "pid "))
	waitFor(t, "the server to be ready", func() bool {
		lock, _ := os.ReadFile(filepath.Join(data, "postmaster.pid"))
		return strings.Contains(string(lock), "\nready")
	})
	s, err := host.ReadProcess(tr.program)
	if err != nil {
		t.Fatal(err)
	}
	tr.guard = s.Parent
	return tr
}

// processesIn returns the processes whose working directory is dir: all of a PostgreSQL server.
func processesIn(dir string) (pids []string) {
	all, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, cwd := range all {
		if at, err := os.Readlink(cwd); err == nil && at == dir {
			pids = append(pids, cwd)
		}
	}
	return pids
}
