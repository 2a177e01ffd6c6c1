package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"plinth/internal/page/pagetest"
	"plinth/internal/record"
	"plinth/internal/record/index"
)

// rude is a way to start plinth on a machine that lacks something. The script runs in a shell, with
// plinth as $PLINTH.
type rude struct {
	name, script string
	code         int
	says         string
	noRecord     bool
}

// TestRudeMachines runs an experiment on machines that lack something. It succeeds, or ends with a
// clear error; either way nothing is left behind, and what was measured is in the record.
func TestRudeMachines(t *testing.T) {
	for _, c := range []rude{
		{name: "64 open files", script: `ulimit -n 64; exec $PLINTH run alone.yaml`, code: 2, noRecord: true,
			says: "cannot run with a limit of 64 open files: 256 are needed\nhint: raise it: ulimit -n"},
		{name: "256 open files", script: `ulimit -n 256; exec $PLINTH run alone.yaml`},
		{name: "no home", script: `unset HOME; exec $PLINTH run alone.yaml`},
		{name: "home that is read-only", script: `HOME=/proc exec $PLINTH run alone.yaml`},
		{name: "TMPDIR that does not exist", script: `TMPDIR=/nonexistent exec $PLINTH run alone.yaml`},
		{name: "TMPDIR that is read-only", script: `TMPDIR=/proc exec $PLINTH run alone.yaml`},
		{name: "TMPDIR that is relative", script: `TMPDIR=. exec $PLINTH run alone.yaml`},
		{name: "TMPDIR with odd characters", script: `mkdir -m 777 "$PWD/a '\$x' ü"; TMPDIR="$PWD/a '\$x' ü" exec $PLINTH run alone.yaml`},
		{name: "no space for the results", script: `exec $PLINTH run alone.yaml >/dev/full`, code: 1,
			says: "cannot print the results: write /dev/stdout: no space left on device\nhint: show them with plinth show results/alone-"},
		{name: "nobody reads the results", script: `$PLINTH run alone.yaml 2>said | true; cat said; exit 1`, code: 1,
			says: "cannot print the results: write /dev/stdout: broken pipe\nhint: show them with plinth show results/alone-"},
		{name: "no space for the progress", script: `exec $PLINTH run alone.yaml 2>/dev/full`},
		{name: "closed files", script: `exec $PLINTH run alone.yaml <&- >&- 2>&-`},
		{name: "a narrow terminal and a foreign locale", script: `COLUMNS=20 TERM=dumb LC_ALL=tr_TR.UTF-8 exec $PLINTH run alone.yaml`},
		{name: "two on one store", script: `PLINTH_STATE=$PWD/other $PLINTH run alone.yaml & $PLINTH run alone.yaml; code=$?; wait $! && exit $code`},
		{name: "two on one directory", script: `mkdir data; set -- run alone.yaml --set environments.one.storage.data=data
			PLINTH_STATE=$PWD/other $PLINTH "$@" & $PLINTH "$@"; code=$?; wait $! && rmdir data && exit $code`},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newFaultWorld(t)
			w.shell(c.script)
			w.exits(c.code)
			if !strings.Contains(w.said.String(), c.says) {
				t.Errorf("plinth does not say %q:\n%s", c.says, w.said)
			}
			if text, err := os.ReadFile(filepath.Join(w.dir, "said")); err == nil && t.Failed() {
				t.Logf("said:\n%s", text)
			}
			path, err := index.Find(filepath.Join(w.dir, "results"), "latest")
			if c.noRecord != (err != nil) {
				t.Fatal(path, err)
			}
			if c.noRecord {
				return
			}
			if rec := w.record(); rec.Summary.State != record.Complete || rec.Summary.Counts.Valid == 0 {
				t.Errorf("%s: %s, %+v\n%s", path, rec.Summary.State, rec.Summary.Counts, w.said)
			}
		})
	}
}

// shell starts a shell with plinth as $PLINTH.
func (w *faultWorld) shell(script string) {
	w.Helper()
	program, err := os.Executable()
	if err != nil {
		w.Fatal(err)
	}
	cmd := w.command()
	cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", script}
	cmd.Env = append(cmd.Env, "PLINTH="+program)
	w.launch(cmd)
}

// TestInterruptEndsReading interrupts a command that reads a record and is stuck in writing to a pipe.
func TestInterruptEndsReading(t *testing.T) {
	t.Parallel()
	store := t.TempDir()
	dir, err := pagetest.Make(store, "mixed")
	if err != nil {
		t.Fatal(err)
	}
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	defer in.Close()
	if _, err := unix.FcntlInt(in.Fd(), unix.F_SETPIPE_SZ, 4096); err != nil {
		t.Fatal(err)
	}
	cmd := hostile{T: t, store: store}.plinth("show", dir, "--json")
	cmd.Stdout = in
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // its end is checked below
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGINT {
		t.Error(cmd.ProcessState)
	}
}

// TestStoreBecomesReadOnly makes the filesystem of the record read-only in the middle of a run, as the
// kernel does after an error of the disk.
func TestStoreBecomesReadOnly(t *testing.T) {
	w := newFaultWorld(t)
	image, dir := filepath.Join(w.dir, "image"), filepath.Join(w.dir, "results")
	for _, words := range [][]string{
		{"truncate", "-s", "32M", image},
		{"mkfs.ext4", "-q", "-F", image},
		{"mkdir", dir},
		{"mount", "-o", "loop", image, dir},
	} {
		if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", words, err, out)
		}
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	w.start("run 1 of 2", "run", "alone.yaml", "--set", "duration=4s")
	if out, err := exec.Command("mount", "-o", "remount,abort", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	w.exits(1)
	w.await("hint: find out why the record's filesystem failed (dmesg)")
	if rec := w.record(); len(rec.Runs) != 1 {
		t.Errorf("%d runs, want the one that was finished\n%s", len(rec.Runs), w.said)
	}
}

// TestDiskFillsUpWhileLoading also names the way out.
func TestDiskFillsUpWhileLoading(t *testing.T) {
	w := newFaultWorld(t)
	disk := w.tmpfs("disk", "600m")
	w.start("loading one", "run", "faults.yaml", "--set", "environments.one.storage.data="+disk, "--set", "dataset.scale=10", "--set", "seed=1")
	w.fill(disk)
	w.exits(1)
	// The server reports that no space is left, that it could write only a part of a block, or that it cannot begin a session.
	w.await("hint: free space on the volume, or lower dataset.scale")
}
