package tune

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"plinth/internal/knob"
	"plinth/internal/profile"
)

// world is a machine with a journal, and a succession of plinths that use it. A scenario is one
// line:
//
//	apply vm.swappiness=10; somebody vm.swappiness=5; rollback fails; expect vm.swappiness=5
type world struct {
	t       testing.TB
	machine *fakeMachine
	dir     string
	server  *fakeServer
	domain  *fakeDomain
	before  map[string]string
	left    map[string][]byte // the journals at the crash
}

func newWorld(t testing.TB) *world {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "plinth-tune")
	if err != nil {
		dir = t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	w := &world{t: t, machine: newFake(), dir: dir}
	w.machine.onCrash = func() { w.left = w.journals() }
	w.before = maps.Clone(w.machine.files)
	return w
}

// journals returns the journal files of the state directory.
func (w *world) journals() map[string][]byte {
	all := map[string][]byte{}
	files, _ := filepath.Glob(filepath.Join(w.dir, "tune", "*.journal"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			w.t.Fatal(err)
		}
		all[file] = text
	}
	return all
}

// revive starts the next plinth: what the dead one wrote after the crash is discarded.
func (w *world) revive() {
	if !w.machine.crashed {
		return
	}
	for file := range w.journals() {
		_ = os.Remove(file)
	}
	for file, text := range w.left {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			w.t.Fatal(err)
		}
	}
	w.machine.crashed, w.machine.crashAfter, w.machine.crashBefore = false, 0, 0
}

func (w *world) request(values ...profile.Value) Request {
	r := Request{Values: values, Machine: w.machine, Targets: Targets{
		Devices: map[string]string{"data": "loop7"}, Mounts: map[string]string{"data": "/mnt/data"}}}
	if w.server != nil {
		r.Server, r.Engine = w.server, "postgres"
	}
	if w.domain != nil {
		r.Domain = w.domain
	}
	return r
}

func (w *world) reached() (all []Reached) {
	if w.server != nil {
		all = append(all, w.server)
	}
	if w.domain != nil {
		all = append(all, w.domain)
	}
	return all
}

// valuesOf parses "vm.swappiness=10, options@data=noatime".
func valuesOf(text string) (values []profile.Value) {
	for pair := range strings.SplitSeq(text, ", ") {
		key, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
		values = append(values, profile.Value{Key: knob.ParseKey(key), Value: value, Profile: "test"})
	}
	return values
}

func (w *world) apply(text string) error {
	r := w.request(valuesOf(text)...)
	p, err := Make(context.Background(), r)
	if err != nil {
		return err
	}
	_, err = Keep(context.Background(), w.dir, UntilRollback, r, p)
	return err
}

func (w *world) rollback() error {
	kept, err := Kept(w.dir)
	if err != nil || kept == nil {
		return err
	}
	_, err = kept.Rollback(context.Background(), w.machine, w.reached()...)
	return err
}

func (w *world) adopt() error {
	kept, err := Kept(w.dir)
	if err != nil || kept == nil {
		return errors.Join(err, errors.New("nothing is kept"))
	}
	return kept.Adopt(w.machine)
}

// play runs a scenario.
func (w *world) play(scenario string) {
	w.t.Helper()
	for step := range strings.SplitSeq(scenario, ";") {
		step = strings.TrimSpace(step)
		verb, rest, _ := strings.Cut(step, " ")
		if err := w.do(verb, rest); err != nil {
			w.t.Fatalf("%s: %s: %v", scenario, step, err)
		}
	}
}

func (w *world) do(verb, rest string) error {
	if verb != "crash" {
		w.revive()
	}
	switch verb {
	case "apply":
		what, fails := strings.CutSuffix(rest, " fails")
		return w.expected(w.apply(what), fails)
	case "rollback":
		return w.expected(w.rollback(), rest == "fails")
	case "adopt":
		return w.adopt()
	case "crash": // "after 2": during the next step
		when, number, _ := strings.Cut(rest, " ")
		n, err := strconv.Atoi(number)
		w.machine.writes = 0
		w.machine.crashBefore, w.machine.crashAfter = n, 0
		if when == "after" {
			w.machine.crashBefore, w.machine.crashAfter = 0, n
		}
		return err
	case "reboot":
		w.machine.restart()
		return nil
	case "begin", "somebody": // initial values, or changes by another process
		for _, v := range valuesOf(rest) {
			if err := w.somebody(v); err != nil {
				return err
			}
		}
		if verb == "begin" {
			w.before = maps.Clone(w.machine.files)
		}
		return nil
	case "unplug":
		maps.DeleteFunc(w.machine.files, func(path, _ string) bool { return strings.HasPrefix(path, rest) })
		return nil
	case "expect":
		return w.expect(rest)
	}
	return fmt.Errorf("no such step")
}

// expected checks whether an error came as it should. A killed plinth returns none.
func (w *world) expected(err error, fails bool) error {
	if w.machine.crashed {
		return nil
	}
	var notBack *PutBackError
	if fails && err == nil {
		return errors.New("it did not fail")
	}
	if fails && errors.As(err, &notBack) != strings.Contains(err.Error(), "cannot undo") {
		return fmt.Errorf("its type does not say what could not be undone: %w", err)
	}
	if fails {
		return nil
	}
	return err
}

func (w *world) somebody(v profile.Value) error {
	k, err := knob.Resolve("", v.Key)
	if err != nil {
		return err
	}
	t, err := w.request().targetOf(k, v.Key.On)
	for _, path := range t.files {
		err = errors.Join(err, w.machine.Write(path, v.Value))
	}
	return err
}

// expect checks values, or all files ("before"), or the journal ("nothing left").
func (w *world) expect(what string) error {
	switch what {
	case "before":
		for path, want := range w.before {
			if have := w.machine.files[path]; have != want {
				return fmt.Errorf("%s is %q, and was %q", path, have, want)
			}
		}
		return nil
	case "nothing left", "something left":
		if n := len(w.journals()); (n == 0) != (what == "nothing left") {
			return fmt.Errorf("%d journals", n)
		}
		return nil
	}
	for _, v := range valuesOf(what) {
		k, err := knob.Resolve("", v.Key)
		if err != nil {
			return err
		}
		t, err := w.request().targetOf(k, v.Key.On)
		if err != nil || len(t.files) == 0 {
			return fmt.Errorf("%s: %d files, %w", v.Key, len(t.files), err)
		}
		for _, path := range t.files {
			if have := reading(w.machine.files[path]); have != v.Value {
				return fmt.Errorf("%s is %q", path, have)
			}
		}
	}
	return nil
}

func TestScenarios(t *testing.T) {
	t.Parallel()
	for _, scenario := range []string{
		"apply vm.swappiness=10; expect vm.swappiness=10; expect something left; rollback; expect before; expect nothing left",
		"apply vm.swappiness=60; expect nothing left; rollback",
		"apply vm.swappiness=10; apply vm.swappiness=5 fails; expect vm.swappiness=10; rollback; expect before",
		// A killed plinth is undone, wherever it was killed.
		"crash before 1; apply vm.swappiness=10, vm.dirty_ratio=5; expect vm.swappiness=60; expect something left; rollback; expect before; expect nothing left",
		"crash after 1; apply vm.swappiness=10, vm.dirty_ratio=5; expect something left; rollback; expect before; expect nothing left",
		"crash after 2; apply vm.swappiness=10, vm.dirty_ratio=5; rollback; expect before",
		"apply vm.swappiness=10, vm.dirty_ratio=5; crash after 1; rollback; rollback; expect before; expect nothing left",
		"apply vm.swappiness=10, vm.dirty_ratio=5; crash before 2; rollback; rollback; expect before",
		// All or nothing.
		"apply vm.swappiness=10, vm.nr_hugepages=200 fails; expect before; expect nothing left",
		"begin vm.nr_hugepages=10; apply vm.nr_hugepages=200 fails; expect before",
		"apply read_ahead_kb@data=256, nr_requests@data=8; expect nr_requests@data=8; rollback; expect before",
		// Pairs.
		"apply vm.dirty_bytes=1048576; expect vm.dirty_bytes=1048576, vm.dirty_ratio=0; rollback; expect before",
		"begin vm.dirty_bytes=1048576; apply vm.dirty_ratio=5; expect vm.dirty_bytes=0; rollback; expect before",
		"begin vm.dirty_ratio=0; apply vm.dirty_bytes=1048576; rollback; expect before",
		"begin vm.dirty_background_ratio=0; apply vm.dirty_background_bytes=1048576; rollback; expect before",
		"apply vm.dirty_bytes=1048576, vm.dirty_ratio=0; expect vm.dirty_ratio=0; rollback; expect before",
		"apply vm.dirty_ratio=0, vm.dirty_bytes=1048576; expect vm.dirty_bytes=1048576; rollback; expect before",
		"apply vm.dirty_bytes=1048576, vm.dirty_ratio=5 fails; expect before",
		"begin vm.dirty_bytes=1048576; apply vm.dirty_bytes=0 fails; expect before",
		"crash after 1; apply vm.dirty_bytes=1048576; rollback; expect before",
		"apply vm.dirty_bytes=1048576; somebody vm.dirty_ratio=30; rollback fails; expect vm.dirty_ratio=30, vm.dirty_bytes=0; expect something left; adopt; expect vm.dirty_ratio=30; expect nothing left",
		"apply vm.dirty_bytes=1048576; somebody vm.dirty_ratio=20; rollback; expect before; expect nothing left",
		// The scheduler changes other values.
		"apply scheduler@data=mq-deadline; expect nr_requests@data=256; rollback; expect before",
		"apply nr_requests@data=64, scheduler@data=mq-deadline; expect nr_requests@data=64; rollback; expect before",
		"apply scheduler@data=mq-deadline, nr_requests@data=32; expect nr_requests@data=32; rollback; expect before",
		"apply nr_requests@data=64, scheduler@data=mq-deadline; crash after 1; rollback; rollback; expect before",
		"apply nr_requests@data=64, scheduler@data=mq-deadline; crash after 2; rollback; rollback; expect before",
		"apply nr_requests@data=64, scheduler@data=mq-deadline; crash after 3; rollback; rollback; expect before",
		"apply scheduler@data=mq-deadline; somebody nr_requests@data=77; rollback fails; expect nr_requests@data=77, scheduler@data=none, wbt_lat_usec@data=2000",
		"apply nr_requests@data=64, scheduler@data=mq-deadline; somebody nr_requests@data=77; rollback fails; expect nr_requests@data=77, scheduler@data=none, wbt_lat_usec@data=2000",
		"apply scheduler@data=bfq fails; expect before", // this kernel does not have it
		// Another process changes values.
		"apply vm.swappiness=10, vm.dirty_ratio=5; somebody vm.swappiness=30; rollback fails; expect vm.swappiness=30, vm.dirty_ratio=20; expect something left; rollback fails; adopt; expect nothing left; expect vm.swappiness=30",
		"apply vm.swappiness=10; somebody vm.swappiness=60; rollback; expect before; expect nothing left",
		"apply vm.swappiness=10; somebody vm.swappiness=30; rollback fails; somebody vm.swappiness=60; rollback; expect nothing left",
		"apply vm.swappiness=10; adopt; rollback; expect vm.swappiness=10; expect nothing left",
		// A boot.
		"apply vm.swappiness=10, scheduler@data=mq-deadline; reboot; somebody vm.swappiness=10; rollback; expect vm.swappiness=10; expect nothing left",
		"apply vm.swappiness=10; reboot; rollback; expect before; expect nothing left",
		"apply vm.swappiness=10, vm.dirty_bytes=1048576; reboot; somebody vm.swappiness=33; somebody vm.dirty_ratio=33; rollback; expect vm.swappiness=33, vm.dirty_ratio=33; expect nothing left",
		"crash after 2; apply vm.swappiness=10, vm.dirty_ratio=5; reboot; somebody vm.swappiness=33; rollback; expect vm.swappiness=33; expect nothing left",
		// A second rollback leaves the values of others as the first one did.
		"apply vm.nr_hugepages=40; somebody vm.nr_hugepages=20; rollback fails; rollback fails; expect vm.nr_hugepages=20",
		"apply scheduler@data=mq-deadline, vm.swappiness=1; somebody nr_requests@data=77; rollback fails; rollback fails; expect nr_requests@data=77, vm.swappiness=60; adopt",
		// Devices that are gone.
		"apply vm.swappiness=10, read_ahead_kb@data=256, scheduler@data=mq-deadline; unplug /sys/block/loop7; rollback; expect vm.swappiness=60; expect nothing left",
		"unplug /sys/block/loop7; apply vm.swappiness=10, read_ahead_kb@data=256; expect vm.swappiness=10; rollback; expect vm.swappiness=60",
		// Several files, and coupled ones.
		"apply scaling_governor=performance; expect energy_performance_preference=performance; rollback; expect before",
		"begin scaling_governor@1=performance; apply scaling_governor=performance; rollback; expect before",
		"apply scaling_governor=performance; somebody scaling_governor@0=powersave; somebody energy_performance_preference@0=balance_performance; rollback; expect before",
		"apply transparent_hugepage=always; expect vm.min_free_kbytes=112640; rollback; expect before",
		"apply vm.nr_hugepages=40; expect nr_hugepages@node0=20; rollback; expect before",
		"begin nr_hugepages@node1=30; apply vm.nr_hugepages=60; rollback; expect before",
		"begin nr_hugepages@node1=30; apply nr_hugepages@node0=20, nr_hugepages@node1=10; rollback; expect before",
		"begin vm.nr_hugepages=20; crash after 1; apply vm.nr_hugepages=200; expect vm.nr_hugepages=100; rollback; expect before; expect nothing left", // filled in part, and killed
	} {
		t.Run(scenario, func(t *testing.T) { newWorld(t).play(scenario) })
	}
}
