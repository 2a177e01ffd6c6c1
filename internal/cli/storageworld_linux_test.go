package cli

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"plinth/internal/record"
)

// storageWorld is a directory in which root sets up storage. It recognises its storage by unique
// names: those of its environments, and the rooms of its volumes, which journals and records
// name.
type storageWorld struct {
	*faultWorld
	suffix string // of the names of environments, and so of control groups
	rooms  map[string]bool
}

func newStorageWorld(t *testing.T) *storageWorld {
	t.Helper()
	if os.Getenv("CI") == "" && os.Geteuid() != 0 {
		t.Skip("laying out storage needs root")
	}
	w := &storageWorld{faultWorld: newFaultWorld(t), rooms: map[string]bool{}}
	hasEmulatedDevices(t)
	w.suffix = w.dir[strings.LastIndex(w.dir, "-")+1:]
	t.Cleanup(func() { // also if the test failed
		w.note()
		if said, err := w.bounded(patience, "clean"); err != nil {
			t.Errorf("plinth clean: %v\n%s", err, said)
		}
	})
	return w
}

// environment returns a name that is unique to this world.
func (w *storageWorld) environment(name string) string { return name + "-" + w.suffix }

// file writes an experiment; NAME-* in it is an environment of this world.
func (w *storageWorld) file(name, text string) {
	w.Helper()
	text = strings.ReplaceAll(text, "-*", "-"+w.suffix)
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o644); err != nil {
		w.Fatal(err)
	}
}

// bounded runs plinth with a timeout and returns its output.
func (w *storageWorld) bounded(limit time.Duration, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	like := w.command(args...)
	cmd := exec.CommandContext(ctx, like.Path, args...)
	cmd.Args, cmd.Dir, cmd.Env = like.Args, like.Dir, like.Env
	// Processes that it started may keep its output open for longer.
	cmd.WaitDelay = patience
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// says starts plinth and waits for words in its output.
func (w *storageWorld) says(words string, args ...string) {
	w.Helper()
	w.start(words, args...)
	w.note()
}

// ends waits for plinth's end and returns its exit code; nothing may be left behind.
func (w *storageWorld) ends() int {
	w.Helper()
	select {
	case <-w.end:
	case <-time.After(patience):
		w.Fatalf("plinth does not end:\n%s", w.said)
	}
	w.nothingRuns()
	w.nothingIsLaidOut()
	return w.cmd.ProcessState.ExitCode()
}

var roomName = regexp.MustCompile(`\bvolume-[a-z0-9]{12}\b`)

// note remembers the rooms that journals name, before they are gone.
func (w *storageWorld) note() {
	journals, _ := filepath.Glob(filepath.Join(w.dir, "state", "*.journal"))
	for _, journal := range journals {
		text, _ := os.ReadFile(journal)
		for _, room := range roomName.FindAllString(string(text), -1) {
			w.rooms[room] = true
		}
	}
}

// ours reports whether a text names something that this world set up.
func (w *storageWorld) ours(text string) bool {
	return strings.Contains(text, w.dir+"/") || strings.Contains(text, "-"+w.suffix+"-") ||
		slices.ContainsFunc(roomName.FindAllString(text, -1), func(room string) bool { return w.rooms[room] })
}

// nothingIsLaidOut waits until no mount, loop device, room, control group, process or file is
// left; the kernel takes a moment to remove some.
func (w *storageWorld) nothingIsLaidOut() {
	w.Helper()
	for deadline := time.Now().Add(patience); ; <-time.After(50 * time.Millisecond) {
		left := w.laidOut()
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			w.Errorf("left behind:\n%s\nplinth had said:\n%s", strings.Join(left, "\n"), w.said)
			return
		}
	}
}

// laidOut returns what exists of this world besides its experiments and records.
func (w *storageWorld) laidOut() (all []string) {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		w.Fatal(err)
	}
	for line := range strings.Lines(string(mounts)) {
		if w.ours(line) {
			all = append(all, "mount "+line)
		}
	}
	for _, pattern := range []string{"/sys/block/loop*/loop/backing_file", "/sys/block/md*/md/array_state"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			if text, _ := os.ReadFile(file); w.ours(string(text)) {
				all = append(all, file+": "+string(bytes.TrimSpace(text)))
			}
		}
	}
	for _, pattern := range []string{"/run/plinth/volume-*", w.dir + "/plinth-*", w.dir + "/*.img", w.dir + "/state/*.journal"} {
		paths, _ := filepath.Glob(pattern)
		all = append(all, slices.DeleteFunc(paths, func(path string) bool { return !w.ours(path) })...)
	}
	for _, pid := range w.everybody() {
		all = append(all, "process "+itoa(pid)+": "+fileOf(pid, "cmdline"))
	}
	return append(all, w.groups()...)
}

// everybody returns all processes that use what this world set up: servers overwrite the
// environment by which killWorld recognises processes.
func (w *storageWorld) everybody() (pids []int) {
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		pid := atoi(entry.Name())
		if pid != 0 && pid != os.Getpid() && (w.ours(fileOf(pid, "cmdline")) || w.ours(fileOf(pid, "cgroup"))) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// fileOf returns a file of a process in /proc; "" if the process is gone.
func fileOf(pid int, name string) string {
	text, _ := os.ReadFile(filepath.Join("/proc", itoa(pid), name))
	return string(text)
}

// groups returns the control groups of this world's environments.
func (w *storageWorld) groups() (all []string) {
	_ = filepath.WalkDir("/sys/fs/cgroup", func(path string, entry os.DirEntry, err error) error {
		if err != nil { // another group has just been removed
			return nil
		}
		if entry.IsDir() && w.ours(entry.Name()) {
			all = append(all, path)
		}
		return nil
	})
	return all
}

// describes returns the record's description of an environment.
func (w *storageWorld) describes(name string) record.Environment {
	w.Helper()
	environment, known := w.record().Environments[w.environment(name)]
	if !known {
		w.Fatalf("the record has no environment %s", name)
	}
	return environment
}

// runsOf returns the runs of an environment, including failed ones.
func (w *storageWorld) runsOf(name string) (runs []record.Run) {
	w.Helper()
	for _, run := range w.record().Runs {
		if run.Environment == w.environment(name) {
			runs = append(runs, run)
		}
	}
	if len(runs) == 0 {
		w.Fatalf("no run of %s\n%s", name, w.said)
	}
	return runs
}
