package overssh

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"plinth/internal/awake"
	"plinth/internal/cli"
	"plinth/internal/cli/running"
	"plinth/internal/driver/redisload"
	"plinth/internal/emulator"
	"plinth/internal/host/hosttest"
	"plinth/internal/host/launch"
	"plinth/internal/neighbour"
	"plinth/internal/reach/reachtest"
	"plinth/internal/record"
)

// TestMain lets this test binary act as plinth, which copies itself to the hosts.
func TestMain(m *testing.M) {
	launch.GuardMain()
	emulator.Main()
	neighbour.Main()
	redisload.Main()
	awake.Main()
	reachtest.Main()
	connectMain()
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-test.") {
		if pauses := strings.Fields(os.Getenv(pauseVariable)); len(pauses) > 0 {
			running.Pauses = nil
			for _, text := range pauses {
				pause, _ := time.ParseDuration(text)
				running.Pauses = append(running.Pauses, pause)
			}
		}
		os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr, "test"))
	}
	hosttest.TempInMemory()
	flag.Parse()
	_ = flag.Set("test.parallel", "4") // most of them wait for the end of a lease
	os.Exit(m.Run())
}

// pauseVariable holds the pauses before the attempts to connect again.
const pauseVariable = "PLINTH_TEST_PAUSES"

// lab is a directory with a plinth whose ssh reaches the hosts of a test.
type lab struct {
	t   *testing.T
	net *reachtest.Net
	dir string
	env []string

	inside bool // plinth is started in the network of the hosts

	hosts map[string]*reachtest.Host
}

// prepare gives a host its own state of plinth, its own shared memory, and a directory for data.
const prepare = `mkdir -p /var/lib/plinth
mount -t tmpfs tmpfs /var/lib/plinth
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
mkdir -m 777 /tmp/data
`

func newLab(t *testing.T, hosts ...string) *lab {
	hosttest.NeedRoot(t)
	l := &lab{t: t, net: reachtest.New(t), dir: t.TempDir(), hosts: map[string]*reachtest.Host{}}
	for _, name := range hosts {
		l.hosts[name] = l.net.Host(name, reachtest.Setup{Prepare: prepare})
	}
	return l
}

// processes returns the processes of plinth and its servers on a host.
func (l *lab) processes(host string) string {
	out, _ := l.hosts[host].Try("ps -eo args= | grep -E 'postgres|pgbench|plinth' | grep -v -E 'grep|sshd|/run/plinth/config'")
	return strings.TrimSpace(out)
}

// traces lists the files and mounts that plinth makes.
const traces = `set +e
find /tmp /var/tmp /dev/shm /var/lib/plinth /run/plinth -mindepth 1 \( -path '/tmp/data/*' -o -name 'plinth-*' -o -name 'volume-*' -o -name 'PostgreSQL.*' -o -name '*.journal' \) 2>/dev/null
find /root/.cache -name '.new-*' 2>/dev/null
grep /run/plinth/volume /proc/self/mounts`

// left returns what is left of plinth on a host, except its copy there.
func (l *lab) left(host string) string {
	files, _ := l.hosts[host].Try(traces)
	return strings.TrimSpace(l.processes(host) + "\n" + files)
}

// clean checks that nothing of plinth is left on a host.
func (l *lab) clean(host string) {
	l.t.Helper()
	if left := l.left(host); left != "" {
		l.t.Errorf("left on %s: %s", host, left)
	}
}

// command returns a plinth in the lab's directory, and in its network if it is to be reached there.
func (l *lab) command(args ...string) *exec.Cmd {
	words := slices.Concat(os.Args[:1], args)
	if l.inside {
		words = slices.Concat(l.net.Inside(), words)
	}
	c := exec.CommandContext(l.t.Context(), words[0], words[1:]...)
	c.Dir = l.dir
	c.Env = append(os.Environ(), "PLINTH_SSH="+l.net.SSH, "PLINTH_STATE="+filepath.Join(l.dir, "state"))
	c.Env = append(c.Env, l.env...)
	return c
}

// plinth runs plinth and returns its output and exit code.
func (l *lab) plinth(args ...string) (said string, code int) {
	l.t.Helper()
	cmd := l.command(args...)
	out, err := cmd.CombinedOutput()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		l.t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

func (l *lab) write(name, text string) {
	l.t.Helper()
	if err := os.WriteFile(filepath.Join(l.dir, name), []byte(text), 0o644); err != nil {
		l.t.Fatal(err)
	}
}

// runs returns the paths of the runs that were committed.
func (l *lab) runs() []string {
	found, _ := filepath.Glob(filepath.Join(l.dir, "results", "*", "runs", "*", "*", "*", "*", "run.json"))
	return found
}

// record opens the only record of the lab.
func (l *lab) record() *record.Record {
	l.t.Helper()
	found, err := filepath.Glob(filepath.Join(l.dir, "results", "*", "record.json"))
	if err != nil || len(found) != 1 {
		l.t.Fatalf("%d records, %v", len(found), err)
	}
	rec, err := record.Open(filepath.Dir(found[0]))
	if err != nil {
		l.t.Fatal(err)
	}
	return rec
}
