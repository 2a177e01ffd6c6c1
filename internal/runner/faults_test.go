package runner

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"plinth/internal/record"
)

const struckExperiment = `
name: struck
workloads: [select-only]
repeats: 1
seed: 7
duration: 1s
warmup: 0s
environments: {one: {replica: {}}, two: {}}
`

// since returns the events from the first that begins with prefix, inclusive.
func (w *world) since(prefix string) []string {
	i := slices.IndexFunc(w.events, func(e string) bool { return strings.HasPrefix(e, prefix) })
	if i < 0 {
		return nil
	}
	return w.events[i:]
}

// TestOrderOfAStrike checks which server is killed, which one recovers, and where writes are
// counted.
func TestOrderOfAStrike(t *testing.T) {
	for durability, want := range map[string]string{
		"{fault: kill}":                             "witness one; kill one; recover one; count in one",
		"{fault: kill, of: both}":                   "witness one; kill one; kill one-replica; recover one; count in one; recover one-replica",
		"{fault: kill, recover: promote}":           "witness one; kill one; promote one-replica; count in one-replica; recover one; follow one",
		"{fault: kill, of: both, recover: promote}": "witness one; kill one; kill one-replica; recover one-replica; promote one-replica; count in one-replica; recover one; follow one",
	} {
		w := newWorld()
		rec, err := w.start(t, t.TempDir(), struckExperiment+"durability: "+durability, nil)
		if err != nil {
			t.Fatal(err)
		}
		var one, two []string
		for _, e := range w.since("witness") {
			switch {
			case strings.HasPrefix(e, "remove"):
			case strings.Contains(e, " two"):
				two = append(two, e)
			default:
				one = append(one, e)
			}
		}
		if got := strings.Join(one, "; "); got != want {
			t.Errorf("%s:\n%s, want\n%s", durability, got, want)
		}
		if got := strings.Join(two, "; "); got != "witness two; kill two; recover two; count in two" {
			t.Errorf("%s, without a replica: %s", durability, got)
		}
		d := rec.Summary.Durability
		if asked := d["two"]; asked.Of != "primary" || asked.Recover != "disk" || len(asked.Injections) != 1 || asked.Injections[0].Lag != nil {
			t.Errorf("%s, without a replica: %+v", durability, asked)
		}
		took := map[bool]float64{false: 1, true: 2}[strings.Contains(durability, "promote")]
		if strings.Contains(durability, "both, recover: promote") {
			took = 3
		}
		if s := d["one"].Injections[0]; s.Acknowledged != 10 || s.Found != 10 || s.Took != took || s.Lag == nil || s.At <= 0 {
			t.Errorf("%s: %+v, want %v s", durability, s, took)
		}
	}
}

// TestReplicaIsFedBeforeEachRun checks that a replica catches up before each run, and is
// started and stopped with its primary.
func TestReplicaIsFedBeforeEachRun(t *testing.T) {
	w := newWorld()
	w.apart = true
	if _, err := w.start(t, t.TempDir(), struckExperiment, nil); err != nil {
		t.Fatal(err)
	}
	order := strings.Join(w.events, "; ")
	for _, want := range []string{
		"start one; start one; load one; follow one; ",
		"stop one; stop one-replica; start two",
	} {
		if !strings.Contains(order, want) {
			t.Errorf("no %q in %s", want, order)
		}
	}
	if n := w.count("follow"); n != 1 {
		t.Errorf("it was made to follow %d times", n)
	}
}

// TestStrikesTakeTurns: each round injects one fault into every environment, in random order.
func TestStrikesTakeTurns(t *testing.T) {
	w := newWorld()
	rec, err := w.start(t, t.TempDir(), struckExperiment+"durability: {fault: kill, times: 8}", nil)
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, e := range w.events {
		if of, is := strings.CutPrefix(e, "witness "); is {
			order = append(order, of)
		}
	}
	for i := 0; i < len(order); i += 2 {
		if order[i] == order[i+1] {
			t.Errorf("a round of one alone: %v", order)
		}
	}
	if all := strings.Join(order, " "); len(order) != 16 || !strings.Contains(all, "one one") || !strings.Contains(all, "one two") {
		t.Errorf("the order is not random: %v", order)
	}
	at := map[float64]bool{}
	for _, d := range rec.Summary.Durability {
		for _, s := range d.Injections {
			at[s.At] = true
		}
	}
	if len(at) != 16 {
		t.Errorf("%d moments", len(at))
	}
	if said := strings.Join(w.view.said, "\n"); !strings.Contains(said, "one: kept all 80 writes in 8 kills, answered in 1.0 s (median)") {
		t.Errorf("said:\n%s", said)
	}
}

// TestStrikesGoOnAfterAnInterruption: recorded faults are kept, and missing ones are injected.
func TestStrikesGoOnAfterAnInterruption(t *testing.T) {
	const text = struckExperiment + "durability: {fault: kill, times: 4}"
	store := t.TempDir()
	w := newWorld()
	w.begin = func(number int) {
		if number == 4 {
			w.cancel()
		}
	}
	first, _ := w.start(t, store, text, nil)
	faults := func(rec *record.Record) int {
		return len(rec.Summary.Durability["one"].Injections) + len(rec.Summary.Durability["two"].Injections)
	}
	if first.Summary.State != record.Interrupted || faults(first) != 3 {
		t.Fatalf("%s, %d faults", first.Summary.State, faults(first))
	}
	again := newWorld()
	second, err := again.start(t, store, text, first)
	if err != nil {
		t.Fatal(err)
	}
	if again.witnesses != 5 || faults(second) != 8 || second.Summary.State != record.Complete || again.count("drive") != 0 {
		t.Errorf("%d witnesses, %d faults, %s", again.witnesses, faults(second), second.Summary.State)
	}
	uninterrupted, err := newWorld().start(t, t.TempDir(), text, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"one", "two"} {
		for i, s := range uninterrupted.Summary.Durability[name].Injections {
			if got := second.Summary.Durability[name].Injections[i].At; got != s.At {
				t.Errorf("fault %d of %s at %v s, uninterrupted at %v s", i, name, got, s.At)
			}
		}
	}
}

// TestWhatDoesNotComeBack: a server that does not recover is a finding; the experiment goes on.
func TestWhatDoesNotComeBack(t *testing.T) {
	w := newWorld()
	w.recovers = func(name string) error {
		if name == "two" && w.count("kill two") == 2 {
			return errNoDisk
		}
		return nil
	}
	rec, err := w.start(t, t.TempDir(), struckExperiment+"durability: {fault: kill, times: 4}", nil)
	if err != nil {
		t.Fatal(err)
	}
	one, two := rec.Summary.Durability["one"], rec.Summary.Durability["two"]
	if len(one.Injections) != 4 || one.Lost() != 0 || len(two.Injections) != 2 || two.Broke() != errNoDisk.Error() || two.Lost() != 10 {
		t.Errorf("%+v\n%+v", one, two)
	}
	if said := strings.Join(w.view.said, "\n"); !strings.Contains(said, "two: LOST 10 of 20 writes in 2 kills, and it did not recover: PANIC: no disk") {
		t.Errorf("said:\n%s", said)
	}
}

// TestCountedButNotRepaired: a fault whose writes were counted is recorded even if the environment cannot be repaired,
// and is not repeated.
func TestCountedButNotRepaired(t *testing.T) {
	const text = struckExperiment + "durability: {fault: kill, recover: promote, times: 2}"
	store := t.TempDir()
	w := newWorld()
	w.follows = func() error {
		if w.count("promote") == 0 { // a replica follows its primary from the beginning
			return nil
		}
		return errors.New("the copy failed")
	}
	first, err := w.start(t, store, text, nil)
	if err == nil || !strings.HasSuffix(err.Error(), "the copy failed") { // the error of an agent is a text
		t.Fatalf("error %v", err)
	}
	if one := first.Summary.Durability["one"]; len(one.Injections) != 1 || one.Injections[0].Found != 10 || one.Broke() != "" {
		t.Errorf("%+v", one)
	}
	again := newWorld()
	second, err := again.start(t, store, text, first)
	if err != nil {
		t.Fatal(err)
	}
	if one := second.Summary.Durability["one"]; len(one.Injections) != 2 || again.count("kill one") != 1 {
		t.Errorf("%+v\n%v", one, again.events)
	}
}

// TestReplicaFindsItsPrimaryAgain: a replica reconnects on its own, or is made to.
func TestReplicaFindsItsPrimaryAgain(t *testing.T) {
	w := newWorld()
	lost := errors.New("lost")
	w.begin = func(int) { w.lag = []error{lost, lost, lost} } // just before the fault, and twice after it
	if _, err := w.start(t, t.TempDir(), struckExperiment+"durability: kill", nil); err != nil {
		t.Fatal(err)
	}
	if n := w.count("follow"); n != 1 {
		t.Errorf("it was made to follow %d times", n)
	}
}
