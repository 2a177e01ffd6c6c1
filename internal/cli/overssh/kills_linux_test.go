package overssh

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"plinth/internal/engine/life"
	"plinth/internal/record"
	"plinth/internal/record/index"
)

// short is an experiment that makes on another machine all that has to be undone there.
const short = `name: short
workloads: [simple-update]
clients: [2]
duration: 1s
warmup: 0s
repeats: 3
emulated_rates: fit
dataset: {scale: 1}
settings: {max_wal_size: 64MB, min_wal_size: 32MB, shared_buffers: 16MB}
environments:
  here: {storage: {data: .}}
  there-SUFFIX:
    at: ssh://db1
    storage: {data: STORAGE}
    limits: {cpus: 1}
`

const (
	onFile   = "{file: /tmp/data/SUFFIX.img, size: 256MiB, filesystem: ext4}"
	emulated = "{emulate: gp3, size: 256MiB, latency: 3ms, backing: /tmp/data}"
)

// moment is a part of an experiment in which an end is killed.
type moment struct {
	name   string
	begun  func(k *killed) bool // nil: from the start
	within time.Duration        // the kill is at most this much later
	before func(k *killed)
	stop   bool // plinth is interrupted as by Ctrl-C, to put everything back
}

var moments = []moment{
	{name: "connecting", within: 400 * time.Millisecond},
	{name: "copying", begun: said("copying plinth"), within: time.Second, before: func(k *killed) { k.l.hosts[there].Run("rm -rf /root/.cache/plinth") }},
	{name: "loading", begun: said("creating there"), within: 1500 * time.Millisecond},
	{name: "driving", begun: said("rows loaded"), within: 3 * time.Second},
	{name: "committing", begun: (*killed).commits, within: 10 * time.Millisecond},
	{name: "putting back", begun: said("rows loaded"), within: time.Second, stop: true},
}

func said(words string) func(*killed) bool {
	return func(k *killed) bool { return strings.Contains(k.said(), words) }
}

// there is the other machine; here, the one where plinth is started, has no name.
const (
	here  = ""
	there = "db1"
)

// killed is a lab in which the two ends of an experiment are killed repeatedly.
type killed struct {
	l      *lab
	random *rand.Rand
	suffix string // of an environment, and so of its control groups, and of its file
	rooms  map[string]bool
	runs   map[string]bool // paths of runs that were committed
	dirty  map[string]bool // machines where the process that undoes everything was killed

	out     string // the path of plinth's output
	command *exec.Cmd
	ended   chan struct{}
}

// TestKillAtRandom kills plinth, or its agent on another machine, at random moments, and resumes the
// experiment each time. Nothing may be left on any machine, and no finished run may be lost.
// PLINTH_KILLS sets the number of kills, and PLINTH_SEED repeats those of an earlier test.
func TestKillAtRandom(t *testing.T) {
	t.Parallel()
	kills, seed := number(t, "PLINTH_KILLS", 5), number(t, "PLINTH_SEED", int(time.Now().UnixNano()))
	t.Logf("seed %d", seed)
	l := newLab(t, there)
	l.env = []string{pauseVariable + "=100ms 1s 2s 3s"} // before plinth connects again
	k := &killed{l: l, random: rand.New(rand.NewPCG(uint64(seed), 0)), suffix: "k" + strconv.Itoa(os.Getpid()),
		rooms: map[string]bool{}, runs: map[string]bool{}, dirty: map[string]bool{}, out: filepath.Join(l.dir, "said")}
	t.Cleanup(k.tidy)
	left := map[string][]moment{}
	for n := range kills {
		victim := []string{there, here}[n%2]
		if len(left[victim]) == 0 {
			left[victim] = slices.Clone(moments)
			k.random.Shuffle(len(moments), func(i, j int) { left[victim][i], left[victim][j] = left[victim][j], left[victim][i] })
		}
		m := left[victim][0]
		left[victim] = left[victim][1:]
		k.strike(n+1, victim, m)
		k.check()
		if t.Failed() {
			t.Fatalf("plinth had said: %s", k.said())
		}
	}
	k.complete()
	t.Logf("%d kills, %d finished runs, none lost", kills, len(k.runs))
}

// tidy lets no device outlive a test that failed. The end of the test has killed plinth.
func (k *killed) tidy() {
	_ = life.Poll(context.Background(), patience, func() bool { return k.l.processes(there) == "" })
	_, _ = k.l.hosts[there].Try("/root/.cache/plinth/plinth-* clean")
}

func number(t *testing.T, variable string, otherwise int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// start begins the experiment, or resumes it if it is not complete.
func (k *killed) start() {
	k.l.t.Helper()
	args := []string{"run", "--resume", "latest"}
	if entries, _ := index.List(filepath.Join(k.l.dir, "results")); len(entries) == 0 || entries[0].State == record.Complete {
		storage := []string{onFile, emulated}[len(entries)%2]
		k.l.write("short.yaml", strings.ReplaceAll(strings.Replace(short, "STORAGE", storage, 1), "SUFFIX", k.suffix))
		args = []string{"run", "short.yaml"}
	}
	out, err := os.Create(k.out)
	if err != nil {
		k.l.t.Fatal(err)
	}
	k.command, k.ended = k.l.command(args...), make(chan struct{})
	k.command.Stdout, k.command.Stderr = out, out
	if err := errors.Join(k.command.Start(), out.Close()); err != nil {
		k.l.t.Fatal(err)
	}
	go func(c *exec.Cmd, ended chan struct{}) { _ = c.Wait(); close(ended) }(k.command, k.ended)
}

// said returns what plinth has printed.
func (k *killed) said() string {
	text, _ := os.ReadFile(k.out)
	return string(text)
}

// commits reports whether a run is being committed, or one has been since plinth was started.
func (k *killed) commits() bool {
	found, _ := filepath.Glob(filepath.Join(k.l.dir, "results", "*", "running", "run.json"))
	return len(found) > 0 || slices.ContainsFunc(k.l.runs(), func(run string) bool { return !k.runs[run] })
}

// strike kills one end of an experiment at a moment, and waits until plinth has ended.
func (k *killed) strike(n int, victim string, m moment) {
	t := k.l.t
	t.Helper()
	if m.before != nil {
		m.before(k)
	}
	after := time.Duration(k.random.Int64N(int64(m.within)))
	k.start()
	k.await(m.begun)
	if m.stop {
		_ = k.command.Process.Signal(syscall.SIGINT)
	}
	select {
	case <-time.After(after):
	case <-k.ended:
	}
	k.note()
	entered := said("starting ")(k)
	if victim == here {
		_ = k.command.Process.Kill() // it may have ended already
	} else {
		k.await((*killed).agent)
	}
	select {
	case <-k.ended:
	case <-time.After(patience):
		t.Fatalf("plinth does not end: %s", k.said())
	}
	code := k.command.ProcessState.ExitCode()
	t.Logf("kill %d: %q while %s, after %v; plinth's exit code is %d", n, victim, m.name, after, code)
	if entered { // it has undone what earlier ones left behind
		clear(k.dirty)
	}
	if code != 0 && code != 130 { // otherwise it was too late: plinth has said that everything was put back
		k.dirty[victim] = true
	}
}

// agent kills the agent, or the shell that starts it, and reports whether there was one.
func (k *killed) agent() bool {
	_, err := k.l.hosts[there].Try(`pkill -9 -P "$(pgrep -d, -f '^sshd: .*@notty')"`)
	return err == nil
}

// patience ends a test that hangs.
const patience = 5 * time.Minute

// await waits for a moment, or for the end of plinth.
func (k *killed) await(there func(*killed) bool) {
	k.l.t.Helper()
	for begun := time.Now(); there != nil && !there(k); time.Sleep(time.Millisecond) {
		select {
		case <-k.ended:
			return
		default:
		}
		if time.Since(begun) > patience {
			k.l.t.Fatalf("nothing happens: %s", k.said())
		}
	}
}

var roomName = regexp.MustCompile(`\bvolume-[a-z0-9]{12}\b`)

// note remembers the committed runs, and the rooms of volumes, which the journals there name.
func (k *killed) note() {
	journals, _ := k.l.hosts[there].Try("cat /var/lib/plinth/*.journal")
	for _, room := range roomName.FindAllString(journals, -1) {
		k.rooms[room] = true
	}
	for _, run := range k.l.runs() {
		k.runs[run] = true
	}
}

// check checks what is left on both machines. Where plinth or its agent was killed, no process may be
// left; plinth clean, or the next run, does the rest.
func (k *killed) check() {
	k.l.t.Helper()
	k.nothing("process", k.processes)
	k.note()
	k.kept()
	if k.random.IntN(2) == 0 {
		k.clean()
	}
	k.nothing("trace", func() (all []string) {
		if !k.dirty[there] {
			all = append(all, k.l.left(there), k.storage())
		}
		if !k.dirty[here] {
			all = append(all, k.files()...)
		}
		return all
	})
}

// clean undoes everything on the machines where an end was killed.
func (k *killed) clean() {
	k.l.t.Helper()
	for machine := range k.dirty {
		args := []string{"clean"}
		if machine != here {
			args = append(args, "--on", "ssh://"+machine)
		}
		if out, code := k.l.plinth(args...); code != 0 {
			k.l.t.Errorf("%v: exit code %d: %s", args, code, out)
		}
	}
	clear(k.dirty)
}

// nothing waits until a list is empty.
func (k *killed) nothing(what string, left func() []string) {
	k.l.t.Helper()
	text := ""
	empty := func() bool {
		text = strings.TrimSpace(strings.Join(left(), "\n"))
		return text == ""
	}
	if err := life.Poll(k.l.t.Context(), patience, empty); err != nil {
		k.l.t.Fatalf("a %s is left: %s\nplinth had said: %s", what, text, k.said())
	}
}

// processes returns those that are left on both machines.
func (k *killed) processes() []string {
	all := []string{k.l.processes(there)}
	mark, ssh := []byte("PLINTH_STATE="+k.l.dir), []byte(filepath.Dir(k.l.net.SSH)+"/config")
	found, _ := filepath.Glob("/proc/[0-9]*")
	for _, process := range found {
		environ, _ := os.ReadFile(process + "/environ")
		args, _ := os.ReadFile(process + "/cmdline")
		if bytes.Contains(environ, mark) || bytes.Contains(args, ssh) || bytes.Contains(args, []byte(k.l.dir)) {
			all = append(all, fmt.Sprintf("%s: %q", process, args))
		}
	}
	return all
}

// files returns what plinth left here besides records.
func (k *killed) files() (all []string) {
	for _, pattern := range []string{"plinth-*", "state/*.journal"} {
		found, _ := filepath.Glob(filepath.Join(k.l.dir, pattern))
		all = append(all, found...)
	}
	return all
}

// storage returns the loop devices and control groups of the other machine, whose kernel is this one's.
func (k *killed) storage() string {
	var all []string
	found, _ := filepath.Glob("/sys/block/loop*/loop/backing_file")
	for _, file := range found {
		text, _ := os.ReadFile(file)
		if bytes.Contains(text, []byte(k.suffix)) || slices.ContainsFunc(roomName.FindAllString(string(text), -1), func(room string) bool { return k.rooms[room] }) {
			all = append(all, file+": "+string(text))
		}
	}
	_ = filepath.WalkDir("/sys/fs/cgroup", func(path string, entry os.DirEntry, err error) error {
		if err == nil && entry.IsDir() && strings.Contains(entry.Name(), k.suffix) {
			all = append(all, path)
		}
		return nil // another group may have just been removed
	})
	return strings.Join(all, "\n")
}

// kept checks that every committed run is in its record, with its points.
func (k *killed) kept() {
	t := k.l.t
	t.Helper()
	entries, err := index.List(filepath.Join(k.l.dir, "results"))
	if err != nil {
		t.Fatal(err)
	}
	kept := map[string]bool{}
	for _, e := range entries {
		rec, err := record.Open(e.Path)
		if err != nil {
			t.Errorf("after a kill: %v", err)
			continue
		}
		for _, run := range rec.Runs {
			kept[filepath.Join(e.Path, run.Path(), "run.json")] = true
			if _, err := rec.Points(&run); err != nil {
				t.Errorf("the points of %s: %v", run.Path(), err)
			}
		}
	}
	for run := range k.runs {
		if !kept[run] {
			t.Errorf("lost: %s", run)
		}
	}
}

// complete completes the experiment, after which nothing may be left.
func (k *killed) complete() {
	t := k.l.t
	t.Helper()
	k.start()
	select {
	case <-k.ended:
	case <-time.After(patience):
		t.Fatalf("plinth does not end: %s", k.said())
	}
	k.note()
	k.kept()
	entries, err := index.List(filepath.Join(k.l.dir, "results"))
	if code := k.command.ProcessState.ExitCode(); err != nil || code != 0 || len(entries) == 0 || entries[0].State != record.Complete || entries[0].Counts.Valid+entries[0].Counts.Invalid < entries[0].Planned {
		t.Errorf("exit code %d, records %+v, %v: %s", code, entries, err, k.said())
	}
	clear(k.dirty)
	k.check()
}
