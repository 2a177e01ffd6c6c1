package tune

import (
	"context"
	"flag"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plinth/internal/knob"
	"plinth/internal/profile"
)

// drawn holds values for all knobs of the fake machine, some of which it refuses or changes.
var drawn = map[string][]string{
	"vm.swappiness": {"1", "10", "60"}, "vm.dirty_ratio": {"5", "20", "40"}, "vm.dirty_bytes": {"1048576", "33554432"},
	"vm.dirty_background_ratio": {"1", "10"}, "vm.dirty_background_bytes": {"8192", "4194304"},
	"vm.dirty_expire_centisecs": {"100", "3000"}, "vm.dirty_writeback_centisecs": {"0", "100"},
	"vm.nr_hugepages": {"0", "40", "150"}, "nr_hugepages@node0": {"0", "8", "30"}, "nr_hugepages@node1": {"3", "120"},
	"transparent_hugepage": {"never", "always"}, "vm.min_free_kbytes": {"70000", "67584"},
	"scheduler@data": {"none", "mq-deadline", "kyber", "bfq"}, "nr_requests@data": {"4", "8", "64", "256"},
	"wbt_lat_usec@data": {"0", "2000", "75000"}, "read_ahead_kb@data": {"16", "4096"},
	"scaling_governor": {"performance", "powersave"}, "scaling_governor@1": {"performance"},
	"energy_performance_preference": {"power", "performance"},
}

func drawValues(t *rapid.T, label string, most int) []profile.Value {
	keys := rapid.SliceOfNDistinct(rapid.SampledFrom(slices.Sorted(maps.Keys(drawn))), 0, most, rapid.ID[string]).Draw(t, label)
	values := make([]profile.Value, 0, len(keys))
	for _, key := range keys {
		values = append(values, profile.Value{Key: knob.ParseKey(key), Value: rapid.SampledFrom(drawn[key]).Draw(t, key)})
	}
	return values
}

// Whatever is applied, and wherever plinth is killed while applying or undoing it, the machine
// finally has its original values; if the apply itself fails, at once.
func TestAnyMachineIsPutBack(t *testing.T) {
	t.Parallel()
	if !flagGiven("rapid.checks") {
		if err := flag.Set("rapid.checks", machines); err != nil {
			t.Fatal(err)
		}
	}
	w := newWorld(t)
	applied, failed, crashes := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		w.forget()
		w.machine = newFake()
		w.machine.onCrash = func() { w.left = w.journals() }
		for _, v := range drawValues(t, "before", 6) {
			_ = w.somebody(v) // the machine keeps its value if it refuses this one
		}
		before := maps.Clone(w.machine.files)
		crash := rapid.IntRange(0, 12).Draw(t, "crash")
		w.crashAt(crash, rapid.Bool().Draw(t, "after its effect"))
		err := w.keep(drawValues(t, "plan", 8))
		switch {
		case w.machine.crashed:
			crashes++
		case err != nil:
			failed++
			w.mustBe(t, before, "after an apply that failed: "+err.Error())
		default:
			applied++
		}
		w.revive()
		for again := true; again; {
			w.crashAt(rapid.IntRange(0, 6).Draw(t, "crash of the rollback"), rapid.Bool().Draw(t, "after its effect"))
			err = w.rollback()
			again = w.machine.crashed
			if !again && err != nil {
				t.Fatalf("rollback: %v", err)
			}
			w.revive()
		}
		w.mustBe(t, before, "after the rollback")
		if n := len(w.journals()); n > 0 {
			t.Fatalf("%d journals are left", n)
		}
	})
	t.Logf("%d were applied, %d could not be, %d times plinth was killed", applied, failed, crashes)
	if !t.Failed() && !flagGiven("rapid.checks") && (applied < 100 || failed < 30 || crashes < 50) {
		t.Errorf("%d applied, %d failed, %d crashes: this test does not try what it says", applied, failed, crashes)
	}
}

func flagGiven(name string) (given bool) {
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == name && f.Value.String() != machines })
	return given
}

// forget removes what an earlier failed check left.
func (w *world) forget() {
	for file := range w.journals() {
		_ = os.Remove(file)
	}
}

// crashAt kills plinth at its n-th write from now; 0 for none.
func (w *world) crashAt(n int, after bool) {
	w.machine.writes, w.machine.crashBefore, w.machine.crashAfter = 0, n, 0
	if after {
		w.machine.crashBefore, w.machine.crashAfter = 0, n
	}
}

func (w *world) keep(values []profile.Value) error {
	r := w.request(values...)
	p, err := Make(context.Background(), r)
	if err != nil {
		return err
	}
	_, err = Keep(context.Background(), w.dir, UntilRollback, r, p)
	return err
}

func (w *world) mustBe(t *rapid.T, want map[string]string, when string) {
	t.Helper()
	var wrong []string
	for _, path := range slices.Sorted(maps.Keys(want)) {
		if have := w.machine.files[path]; have != want[path] {
			wrong = append(wrong, path+" is "+have+", was "+want[path])
		}
	}
	if wrong != nil {
		t.Fatalf("%s: %s", when, strings.Join(wrong, "; "))
	}
}
