package study

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/experiment/decode"
	"plinth/internal/experiment/encode"
	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/knob"
	"plinth/internal/profile"
	"plinth/internal/record"
	"plinth/internal/search"
	"plinth/internal/validity"
	"plinth/internal/verdict"
)

// machine is a simulated one: what each value does to TPS is known, and its clock counts what runs take.
type machine struct {
	t      *testing.T
	clock  time.Time
	effect map[string]float64 // by KEY=VALUE, as a share
	noise  float64
	seed   uint64 // of the noise of runs

	breaks      string    // KEY=VALUE with which a server does not start
	breaksBoth  [2]string // with both of which it does not start
	breaksRival string    // an environment of the confirmation whose server does not start
	cannot      string    // KEY=VALUE that cannot be set
	fresh       string    // an environment whose mount options need a fresh mount
	cut         int       // runs until Ctrl-C; 0 for never
	kill        bool      // a kill instead
	twin        string    // an environment of the confirmation that is left out, as it is the same as another one
	broken      bool      // nothing can be carried out now
	facts       host.Facts
	slower      float64 // how much longer runs take than foreseen, as a share
	stumbles    int     // runs until a server that has started before does not start, once; 0 for never
	leaves      bool    // something cannot be put back after the confirmation
	free        bool    // shared_buffers are still free when runs are measured
	fails       string  // KEY=VALUE with which a server starts, but fails under load

	read    map[string]int // how many experiments of a kind were checked
	records map[string]*record.Record
	said    []string
	driven  int
}

func newMachine(t *testing.T) *machine {
	return &machine{t: t, clock: time.Date(2026, 11, 21, 3, 15, 0, 0, time.UTC), noise: 0.03,
		seed: 1, records: map[string]*record.Record{}, read: map[string]int{},
		effect: map[string]float64{"effective_io_concurrency=200": 0.15, "jit=off": 0.08, "random_page_cost=4": -0.1}}
}

const each = 20 * time.Second // of a run

func (m *machine) Scope(context.Context, *experiment.Experiment) (search.Scope, error) {
	return search.Scope{Facts: profile.Facts{Memory: 2 << 30, CPUs: 2, Version: 15, Connections: 18, Engine: "postgres", HugePage: 2 << 20,
		Disk: profile.Disk{Probed: true, RandomRead: 0.001, SequentialRead: 0.0001, Sync: 0.001, BestDepth: 8, RandomReadsMost: 3000}}}, nil
}

// has reports whether an environment sets KEY=VALUE.
func has(e experiment.Environment, assignment string) bool {
	key, value, _ := strings.Cut(assignment, "=")
	for _, item := range slices.Backward(e.Tuning) {
		if v, there := item.Set[key]; there {
			return v == value
		}
	}
	return false
}

func (m *machine) Foresee(_ context.Context, e *experiment.Experiment) (time.Duration, error) {
	if m.broken {
		return 0, errors.New("the disk is full")
	}
	for _, env := range e.Environments {
		if m.cannot != "" && has(env, m.cannot) {
			return 0, errors.New("it is read-only here")
		}
		if m.fresh == env.Name && !slices.Contains(env.Without, "mount") {
			return 0, fmt.Errorf("environment %s: a remount does not change allocsize=64m", env.Name)
		}
	}
	if kind := strings.TrimRight(e.Name, "-0123456789"); m.read[kind] < 3 {
		m.read[kind]++
		if _, _, err := decode.Parse("experiment.yaml", encode.YAML(e), "", nil); err != nil {
			m.t.Fatalf("an experiment that cannot be read: %v\n%s", err, encode.YAML(e))
		}
	}
	return time.Duration(len(e.Environments)*e.Repeats*len(e.Cells())) * each, nil
}

func (m *machine) Begun(name string) (*record.Record, error) { return m.records[name], nil }

func (m *machine) Changed(_ context.Context, _ *experiment.Experiment, then *record.Record) error {
	if all := then.Machine.Differences(m.facts); len(all) > 0 {
		return errors.New("the machine has changed: " + strings.Join(all, "; "))
	}
	return nil
}

// errKilled is what a test recovers from.
var errKilled = errors.New("killed")

func (m *machine) Run(_ context.Context, e *experiment.Experiment, rec *record.Record, _ bool) (*record.Record, error) {
	if m.twin != "" && e.Name == "confirmation" {
		worked := *e
		worked.Environments = slices.DeleteFunc(slices.Clone(e.Environments), func(env experiment.Environment) bool { return env.Name == m.twin })
		e = &worked
	}
	var started []string
	for _, env := range e.Environments {
		both := m.breaksBoth[0] != "" && has(env, m.breaksBoth[0]) && has(env, m.breaksBoth[1])
		if m.breaks != "" && has(env, m.breaks) || both || m.breaksRival == env.Name {
			return nil, &NotStartedError{Environment: env.Name, Started: started, Err: errors.New("out of shared memory")}
		}
		started = append(started, env.Name)
	}
	if rec == nil {
		rec = &record.Record{Path: "results/" + e.Name + "-20261121T031500Z", ExperimentYAML: encode.YAML(e), Environments: map[string]record.Environment{}}
		rec.Summary = record.Summary{Schema: record.SummarySchema, Name: e.Name, Engine: e.Engine, Baseline: e.Baseline, Plan: verdict.PlanOf(e), Fingerprint: record.Fingerprint(rec.ExperimentYAML)}
		rec.Machine = &record.Machine{Inventory: host.Inventory{Facts: m.facts}}
		m.records[e.Name] = rec
	}
	rec.Summary.State = record.Interrupted
	for _, slots := range e.Schedule() {
		done, attempt := 0, 1 // of the block, which is driven again as a whole if it was interrupted
		for _, run := range rec.Runs {
			if run.Repeat == slots[0].Repeat && run.Cell == slots[0].Cell {
				done, attempt = done+1, run.Attempt+1
			}
		}
		if done == len(slots) {
			continue
		}
		for _, slot := range slots {
			if m.cut > 0 && m.driven == m.cut {
				if m.cut = 0; m.kill {
					panic(errKilled)
				}
				return rec, context.Canceled
			}
			if m.stumbles > 0 && m.driven == m.stumbles {
				m.stumbles = 0
				return rec, &NotStartedError{Environment: slot.Environment, Started: started, Err: errors.New("too few huge pages")}
			}
			env := e.Environments[slices.IndexFunc(e.Environments, func(env experiment.Environment) bool { return env.Name == slot.Environment })]
			rec.Runs = append(rec.Runs, m.drive(e.Name, env, slot, attempt))
		}
	}
	rec.Summary.State = record.Complete
	if m.leaves && e.Name == "confirmation" {
		return rec, errNotPutBack
	}
	return rec, nil
}

var errNotPutBack = errors.New("cannot put back vm.swappiness")

// drive returns a run; its noise is the same in each attempt.
func (m *machine) drive(name string, env experiment.Environment, slot experiment.Slot, attempt int) record.Run {
	m.clock, m.driven = m.clock.Add(time.Duration(float64(each)*(1+m.slower))), m.driven+1
	hash := fnv.New64()
	fmt.Fprint(hash, name, env.Name, slot.Cell, slot.Repeat)
	tps := 1000 * math.Exp(m.noise*rand.New(rand.NewPCG(m.seed, hash.Sum64())).NormFloat64())
	for _, assignment := range slices.Sorted(maps.Keys(m.effect)) {
		if has(env, assignment) {
			tps *= 1 + m.effect[assignment]
		}
	}
	run := record.Run{Schema: record.RunSchema, Number: m.driven, Status: record.Valid, Started: m.clock}
	run.RunID = record.RunID{Environment: slot.Environment, Cell: slot.Cell, Repeat: slot.Repeat, Attempt: attempt}
	run.Result = record.Result{Loop: "closed", Duration: 15, TPS: tps, Transactions: int64(15 * tps)}
	run.Result.Latency.P99 = int64(1e9 / tps)
	if m.free {
		run.Warnings = []record.Note{{Rule: validity.RuleBuffersFree}}
	}
	if m.fails != "" && has(env, m.fails) {
		run.Status, run.Reasons = record.Failed, []record.Note{{Text: "the server ran out of memory"}}
	}
	return run
}

func (m *machine) Say(text string) { m.said = append(m.said, text) }

const orders = `
name: orders
dataset: {scale: 10}
workloads: [tpcb-like]
clients: 8
duration: 15s
storage: {data: {emulate: gp3}}
environments: {gp3: {}}
`

func load(t *testing.T, sets ...string) *experiment.Experiment {
	t.Helper()
	e, _, err := decode.Parse("orders.yaml", []byte(orders), "", sets)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func request() Request {
	return Request{Source: "orders.yaml", For: secondsOf(2 * time.Hour), Objective: "tps", Start: "oltp", Layers: []knob.Layer{knob.Server}, Restarts: true, Seed: 7}
}

func begin(t *testing.T, m *machine, r Request) *Study {
	t.Helper()
	s, err := New(t.Context(), load(t), []experiment.Tuning{{Name: "oltp"}}, r, "0.1.0", m)
	if err != nil {
		t.Fatal(err)
	}
	s.now = func() time.Time { return m.clock }
	if err := s.Create(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestFreeBuffers: if runs are measured while shared_buffers are still free, the search says so once, after the first round.
func TestFreeBuffers(t *testing.T) {
	m := newMachine(t)
	m.free = true
	s := begin(t, m, request())
	if err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	free := func(text string) bool { return strings.Contains(text, "shared_buffers was still free") }
	first := slices.IndexFunc(m.said, free)
	rounds := slices.IndexFunc(m.said, func(text string) bool { return strings.HasPrefix(text, "round 1:") })
	said, noted := slices.DeleteFunc(slices.Clone(m.said), func(text string) bool { return !free(text) }), slices.DeleteFunc(slices.Clone(s.Notes), func(text string) bool { return !free(text) })
	if len(said) != 1 || len(noted) != 1 || first > rounds || len(s.Rounds) < 2 {
		t.Errorf("said %q; noted %q", m.said, s.Notes)
	}
}

// TestFinds searches on a machine where two values help, and checks what is found, confirmed and written, and that it ends
// in time.
func TestFinds(t *testing.T) {
	m := newMachine(t)
	s := begin(t, m, request())
	if err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	c := s.Confirmation
	if c == nil || !c.Better || !c.Ended || len(c.Verdicts) != 1 {
		t.Fatalf("it is not confirmed: %+v", c)
	}
	if used := s.Used.Duration(); used > 2*time.Hour || used < 100*time.Minute {
		t.Errorf("it took %v of two hours", used)
	}
	found := search.Values(s.Space, c.At)
	if found["effective_io_concurrency"] != "200" || found["jit"] != "off" {
		t.Errorf("found %v", found)
	}
	if want := []string{"oltp", "found", "default", "pgtune", "published"}; !slices.Equal(c.Against, want) {
		t.Errorf("compared %v", c.Against)
	}
	if len(c.Beside) != 1 || c.Beside[0].Metric == c.Verdicts[0].Metric || !strings.Contains(s.Notes[0], "Runs take 15s") {
		t.Errorf("beside: %+v; notes %q", c.Beside, s.Notes)
	}
	if v := c.Verdicts[0]; v.Effect < 0.15 || v.Effect > 0.35 {
		t.Errorf("an effect of %.2f", v.Effect)
	}
	text, err := os.ReadFile(filepath.Join(s.dir, Found))
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse("found.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	if i := slices.IndexFunc(p.Settings, func(s profile.Setting) bool { return s.Key.Knob == "effective_io_concurrency" }); p.Settings[i].Value != "200" || !strings.Contains(p.Settings[i].Reason, "TPS changes by +") || !strings.Contains(p.Settings[i].Reason, "a risk: queries that") {
		t.Errorf("found.yaml: %+v", p.Settings[i])
	}
	if !slices.ContainsFunc(p.Settings, func(s profile.Setting) bool { return s.Key.Knob == "checkpoint_timeout" }) {
		t.Error("found.yaml lacks what it began with")
	}
	if slices.ContainsFunc(p.Settings, func(s profile.Setting) bool { return s.Key.Knob == "vm.swappiness" }) {
		t.Error("found.yaml has the kernel, which was not changed")
	}
	text, err = os.ReadFile(filepath.Join(s.dir, Ablation))
	if err != nil {
		t.Fatal(err)
	}
	if e, _, err := decode.Parse("ablation.yaml", text, "", nil); err != nil || !slices.ContainsFunc(e.Environments, func(env experiment.Environment) bool { return env.Name == "without-effective-io-concurrency" }) {
		t.Errorf("the ablation: %v", err)
	}
}

// TestNothing checks that nothing is claimed on a machine where no value does anything.
func TestNothing(t *testing.T) {
	for seed := range uint64(3) {
		m := newMachine(t)
		m.effect, m.seed = nil, seed
		r := request()
		r.Seed = seed + 1
		s := begin(t, m, r)
		if err := s.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if s.Confirmation.Better {
			t.Errorf("seed %d: better by nothing: %+v", seed, s.Confirmation.Verdicts)
		}
		if _, err := os.Stat(filepath.Join(s.dir, Found)); err == nil {
			t.Errorf("seed %d: there is a found.yaml", seed)
		}
	}
}

// TestGoesOn interrupts a search after some runs, with Ctrl-C or a kill, and goes on with it: nothing that was measured is
// lost, and the result is that of a search that was not interrupted.
func TestGoesOn(t *testing.T) {
	whole := begin(t, newMachine(t), request())
	if err := whole.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, after := range []int{3, 100, 330} {
		for _, kill := range []bool{false, true} {
			m := newMachine(t)
			m.cut, m.kill = after, kill
			s := begin(t, m, request())
			interrupt(t, s)
			again, err := Open(s.dir, m)
			if err != nil {
				t.Fatal(err)
			}
			m.clock = m.clock.Add(24 * time.Hour) // the pause does not count
			again.now = func() time.Time { return m.clock }
			if err := again.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got, want := fmt.Sprint(again.Rounds[0].Moves, again.Rounds[0].Estimates), fmt.Sprint(whole.Rounds[0].Moves, whole.Rounds[0].Estimates); got != want {
				t.Errorf("after %d runs: the first round is %s, want %s", after, got, want)
			}
			found := search.Values(again.Space, again.Confirmation.At)
			if found["effective_io_concurrency"] != "200" || found["jit"] != "off" || !again.Confirmation.Better {
				t.Errorf("after %d runs: found %v, confirmed %v", after, found, again.Confirmation.Better)
			}
			if used := again.Used.Duration(); used > 2*time.Hour {
				t.Errorf("after %d runs: it took %v", after, used)
			}
		}
	}
}

// interrupt runs a search until its machine interrupts it.
func interrupt(t *testing.T, s *Study) {
	t.Helper()
	defer func() {
		if killed := recover(); killed != nil && killed != errKilled { //nolint:errorlint // the very value
			panic(killed)
		}
	}()
	if err := s.Run(t.Context()); !errors.Is(err, context.Canceled) {
		t.Fatalf("it was not interrupted: %v", err)
	}
}

// TestSlower checks that a search ends in time where runs take longer than foreseen.
func TestSlower(t *testing.T) {
	m := newMachine(t)
	m.slower = 0.3
	s := begin(t, m, request())
	if err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if used := s.Used.Duration(); used > 2*time.Hour+2*each || used < 90*time.Minute {
		t.Errorf("it took %v of two hours", used)
	}
}

// TestTwin checks that advice which is the same as the start on this machine does not end a search without an answer.
func TestTwin(t *testing.T) {
	m := newMachine(t)
	m.twin = "oltp"
	r := request()
	r.Start = "mine" // an environment that is tuned with oltp
	s := begin(t, m, r)
	if err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c := s.Confirmation; !c.Better || !c.Ended || slices.Contains(c.Against, "oltp") || c.Against[0] != "mine" {
		t.Errorf("%+v", c)
	}
}

// TestNames checks that the environment where a search begins does not hide a rival of the same name.
func TestNames(t *testing.T) {
	for start, tc := range map[string]struct {
		tuning []experiment.Tuning
		want   string
	}{
		"pgtune":        {[]experiment.Tuning{{Name: "pgtune"}}, "pgtune"},
		"default":       {nil, "default"},
		"./pgtune.yaml": {[]experiment.Tuning{{Profile: &profile.Profile{}}}, "start"},
		"found":         {[]experiment.Tuning{{Name: "oltp"}}, "start"},
		"My Tuning.yml": {[]experiment.Tuning{{Profile: &profile.Profile{}}}, "my-tuning"},
		"v2.5":          {[]experiment.Tuning{{Name: "oltp"}}, "v2-5"},
	} {
		s := &Study{base: load(t)}
		s.Start, s.base.Environments[0].Tuning = start, tc.tuning
		if got := s.startName(); got != tc.want {
			t.Errorf("%s: %s, want %s", start, got, tc.want)
		}
	}
}

// TestLeftOut checks that what an experiment leaves out of a tuning is not tried, either.
func TestLeftOut(t *testing.T) {
	e := load(t)
	e.Environments[0].Without = []string{"effective_io_concurrency", "bgwriter", "vm.overcommit_memory"}
	s, err := New(t.Context(), e, []experiment.Tuning{{Name: "oltp"}}, request(), "0.1.0", newMachine(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range s.Space {
		if d.Name == "effective_io_concurrency" || d.Name == "background writer" {
			t.Errorf("it tries %s", d.Name)
		}
	}
	if without := s.base.Environments[0].Without; slices.Contains(without, "vm.overcommit_memory") && !slices.Contains(without, "kernel") {
		t.Errorf("it leaves out %v", without)
	}
}

// TestFreshMount checks that advice is compared without its mount options if a remount cannot set them.
func TestFreshMount(t *testing.T) {
	for fresh, layers := range map[string][]knob.Layer{
		"published": {knob.Mount, knob.Server},
		"pgtune":    {knob.Mount, knob.Server}, // it has no mount options, so that they are not the cause
		"":          {knob.Server},
	} {
		m, r := newMachine(t), request()
		m.fresh, r.Layers = fresh, layers
		s, err := New(t.Context(), load(t), []experiment.Tuning{{Name: "oltp"}}, r, "0.1.0", m)
		if err != nil {
			t.Fatal(err)
		}
		note := "The mount options of published are left out of it: a remount does not change allocsize=64m."
		if !slices.Contains(s.Plan.Against, "published") || slices.Contains(s.Notes, note) != (fresh == "published") || s.unfit("pgtune") != (fresh == "pgtune") {
			t.Errorf("%s: against %v, notes %q, unfit %v", fresh, s.Plan.Against, s.Notes, s.Unfit)
		}
	}
}

// TestExclusive checks that what was found replaces settings that it cannot be together with.
func TestExclusive(t *testing.T) {
	r := request()
	r.Layers = []knob.Layer{knob.Server, knob.Kernel}
	start := []experiment.Tuning{{Name: "oltp"}, {Set: map[string]string{"vm.dirty_background_bytes": "64MiB", "vm.dirty_bytes": "256MiB"}}}
	s, err := New(t.Context(), load(t, "allow_host=true"), start, r, "0.1.0", newMachine(t))
	if err != nil {
		t.Fatal(err)
	}
	at := search.New(s.Space).At()
	i := slices.IndexFunc(s.Space, func(d search.Dimension) bool { return d.Name == "dirty pages" })
	at[i] = slices.IndexFunc(s.Space[i].Levels, func(l search.Level) bool { return l.Values["vm.dirty_ratio"] != "" })
	p, err := s.Profile(at, nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := p.YAML()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := profile.Parse("found.yaml", text); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestDoesNotStart checks that a value with which the server does not start is found and left out, and does not end a search.
func TestDoesNotStart(t *testing.T) {
	m := newMachine(t)
	m.breaks = "wal_buffers=64MB"
	s := begin(t, m, request())
	if err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !s.Confirmation.Better {
		t.Errorf("it is not confirmed: %v", m.said)
	}
	if len(s.Excluded) != 1 {
		t.Errorf("%d values are excluded", len(s.Excluded))
	}
	for _, e := range s.Excluded {
		if name := s.Space[e.Dimension].Name; name != "wal_buffers" {
			t.Errorf("%s %v is excluded: %s", name, s.Space[e.Dimension].Levels[e.Level].Values, e.Reason)
		}
	}
	if search.Values(s.Space, s.Confirmation.At)["wal_buffers"] == "64MB" {
		t.Error("it found a value with which the server does not start")
	}
}

// TestStumbles checks that a server that has started before and does not start once, in a round or in the confirmation, costs
// neither the runs before it nor a change nor advice.
func TestStumbles(t *testing.T) {
	whole := begin(t, newMachine(t), request())
	if err := whole.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	inRounds := 0
	for _, r := range whole.Rounds {
		inRounds += r.Runs
	}
	for _, runs := range []int{20, inRounds + 12} {
		m := newMachine(t)
		m.stumbles = runs
		s := begin(t, m, request())
		if err := s.Run(t.Context()); err != nil {
			t.Fatalf("after %d runs: %v", runs, err)
		}
		if runs < inRounds && !s.Rounds[0].Partial {
			t.Errorf("after %d runs: round 1 counts as a whole one", runs)
		}
		if len(s.Excluded) > 0 || len(s.Unfit) > 0 || s.Rounds[0].Failed != "" || m.stumbles != 0 {
			t.Errorf("after %d runs: %+v are excluded, %+v unfit, round 1: %s", runs, s.Excluded, s.Unfit, s.Rounds[0].Failed)
		}
		if c := s.Confirmation; !c.Better || !c.Ended || len(c.Against) != len(whole.Confirmation.Against) {
			t.Errorf("after %d runs: %+v", runs, c)
		}
	}
}

// TestUnsafe checks that a search may begin at a tuning that is marked unsafe, and that what it finds is marked so, too.
func TestUnsafe(t *testing.T) {
	start := profile.Of(map[string]string{"synchronous_commit": "off"})
	start.Name, start.Unsafe = "mine", true
	m, r := newMachine(t), request()
	r.Start = "mine"
	s, err := New(t.Context(), load(t), []experiment.Tuning{{Profile: start}}, r, "0.1.0", m)
	if err != nil {
		t.Fatal(err)
	}
	s.now = func() time.Time { return m.clock }
	if err := s.Create(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	if err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(s.dir, Found))
	if err != nil {
		t.Fatal(err)
	}
	if p, err := profile.Parse("found.yaml", text); err != nil || !p.Unsafe {
		t.Errorf("found.yaml: %v\n%s", err, text)
	}
	if text, err = os.ReadFile(filepath.Join(s.dir, Ablation)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := decode.Parse("ablation.yaml", text, "", nil); err != nil {
		t.Errorf("the ablation: %v", err)
	}
}

// TestNotPutBack checks that a result is not lost if something cannot be put back after it.
func TestNotPutBack(t *testing.T) {
	m := newMachine(t)
	m.leaves = true
	s := begin(t, m, request())
	if err := s.Run(t.Context()); !errors.Is(err, errNotPutBack) {
		t.Fatal(err)
	}
	if c := s.Confirmation; !c.Better || !c.Ended {
		t.Errorf("%+v", c)
	}
	if _, err := os.Stat(filepath.Join(s.Dir(), Found)); err != nil {
		t.Error(err)
	}
}

// TestNoTime checks that advice for whose comparison there is no time is named, and that invalid runs leave less time.
func TestNoTime(t *testing.T) {
	m, r := newMachine(t), request()
	r.For = secondsOf(40 * time.Minute)
	s := begin(t, m, r)
	if err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	c := s.Confirmation
	if len(c.NoTime) == 0 || slices.ContainsFunc(c.NoTime, func(name string) bool { return slices.Contains(c.Against, name) }) {
		t.Errorf("against %v, no time for %v", c.Against, c.NoTime)
	}
	s.Rounds = []Round{{Moves: s.moves(11), Runs: 18, Estimates: make([]search.Estimate, 11)}} // of 24
	if got, want := s.drivenAgain(5), 2-math.Pow(0.75, 5); math.Abs(got-want) > 1e-9 {
		t.Errorf("blocks of five take %.2f times as long, want %.2f", got, want)
	}
}

// TestAdviceDoesNotStart checks that a search ends with an answer where a server does not start with the advice of others.
func TestAdviceDoesNotStart(t *testing.T) {
	m := newMachine(t)
	m.breaksRival = "pgtune"
	s := begin(t, m, request())
	if err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c := s.Confirmation; !c.Better || slices.Contains(c.Against, "pgtune") || len(s.Unfit) != 1 || s.Unfit[0].Name != "pgtune" {
		t.Errorf("%+v, unfit %+v", c, s.Unfit)
	}
}

// TestNotTogether checks that a search goes on where a server starts with each of two values, but not with both.
func TestNotTogether(t *testing.T) {
	m := newMachine(t)
	m.breaksBoth = [2]string{"effective_io_concurrency=200", "jit=off"}
	s := begin(t, m, request())
	if err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	found := search.Values(s.Space, s.Confirmation.At)
	if found["effective_io_concurrency"] == "200" && found["jit"] == "off" {
		t.Errorf("found %v", found)
	}
	if !s.Confirmation.Ended {
		t.Error("it has not ended")
	}
}

// TestCannotBeSet checks that a value that cannot be set is left out before anything is measured.
func TestCannotBeSet(t *testing.T) {
	m := newMachine(t)
	m.cannot = "jit=off"
	s := begin(t, m, request())
	if len(s.Excluded) != 1 || s.Space[s.Excluded[0].Dimension].Name != "jit" || s.Excluded[0].Reason != "it is read-only here" {
		t.Errorf("excluded: %+v", s.Excluded)
	}
}

// TestBroken checks that what is no fault of the changes ends a search with an error, so that it can go on once that is mended.
func TestBroken(t *testing.T) {
	m := newMachine(t)
	s := begin(t, m, request())
	m.broken = true
	if _, err := s.propose(t.Context(), 2*time.Hour); err == nil || !strings.Contains(err.Error(), "the disk is full") {
		t.Errorf("%v, %d rounds", err, len(s.Rounds))
	}
}

// TestLate checks that a round that was interrupted is not driven again if there is only time for the confirmation.
func TestLate(t *testing.T) {
	m := newMachine(t)
	m.cut = 60
	s := begin(t, m, request())
	interrupt(t, s)
	again, err := Open(s.dir, m)
	if err != nil {
		t.Fatal(err)
	}
	again.now, again.For = func() time.Time { return m.clock }, again.Used+secondsOf(5*time.Minute)
	if err := again.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if last := again.Rounds[len(again.Rounds)-1]; !strings.Contains(last.Failed, "interrupted") || !again.Confirmation.Ended {
		t.Errorf("%+v", last)
	}
}

// TestNearlyWhole checks that a round that was interrupted near its end is not driven again, even if there is time.
func TestNearlyWhole(t *testing.T) {
	m := newMachine(t)
	m.cut = 22 // of 24
	s := begin(t, m, request())
	interrupt(t, s)
	again, err := Open(s.dir, m)
	if err != nil {
		t.Fatal(err)
	}
	again.now = func() time.Time { return m.clock }
	if err := again.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	first := again.Rounds[0]
	if first.Runs != 22 || !first.Partial || len(first.Estimates) != len(first.Moves) || len(m.records["round-1"].Runs) != 22 {
		t.Errorf("%d runs, %d in the record: %+v", first.Runs, len(m.records["round-1"].Runs), first)
	}
	if len(again.Rounds) < 2 || !again.Confirmation.Ended {
		t.Errorf("%d rounds; %+v", len(again.Rounds), again.Confirmation)
	}
}

// TestFatal checks that a value with which a server starts, but fails under load, is left out, and named with the reason.
func TestFatal(t *testing.T) {
	m := newMachine(t)
	m.fails = "wal_buffers=64MB"
	s := begin(t, m, request())
	if err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(s.Excluded) != 1 || s.Space[s.Excluded[0].Dimension].Name != "wal_buffers" || !strings.Contains(s.Excluded[0].Reason, "ran out of memory") {
		t.Errorf("excluded: %+v", s.Excluded)
	}
	tries := 0
	for _, r := range s.Rounds {
		for _, move := range r.Moves {
			if s.Space[move.Dimension].Levels[move.To].Values["wal_buffers"] == "64MB" {
				tries++
			}
		}
	}
	if tries != 1 {
		t.Errorf("it was tried in %d rounds", tries)
	}
}

// TestExpendable checks which advice a confirmation leaves out first: the defaults, and plinth's own profile last.
func TestExpendable(t *testing.T) {
	with := func(name string) experiment.Environment {
		return experiment.Environment{Name: name, Tuning: []experiment.Tuning{{Name: name}}}
	}
	others := []experiment.Environment{with("mine"), {Name: "default"}, with("pgtune"), with("oltp"), with("published")}
	var order []string
	for len(others) > 1 {
		i := expendable(others)
		order = append(order, others[i].Name)
		others = slices.Delete(others, i, i+1)
	}
	if want := []string{"default", "published", "pgtune", "oltp"}; !slices.Equal(order, want) {
		t.Errorf("%v, want %v", order, want)
	}
}

// TestRare checks that a search warns if a percentile of short runs is that of the slowest few transactions.
func TestRare(t *testing.T) {
	for objective, transactions := range map[string]int64{"p99.9": 9000, "p99": 900, "tps": 9} {
		m := newMachine(t)
		s := begin(t, m, request())
		s.Objective = objective
		rec := &record.Record{Runs: []record.Run{{Status: record.Valid, Result: record.Result{Transactions: transactions}}}}
		s.weaknesses(rec)
		warned := slices.ContainsFunc(s.Notes, func(n string) bool { return strings.Contains(n, "chance determines it") })
		if warned != (objective != "tps") {
			t.Errorf("%s: %q", objective, s.Notes)
		}
	}
}

// TestOtherMachine checks that what is learnt is of one machine.
func TestOtherMachine(t *testing.T) {
	m := newMachine(t)
	m.cut, m.facts.Kernel = 30, "6.12"
	s := begin(t, m, request())
	interrupt(t, s)
	again, err := Open(s.dir, m)
	if err != nil {
		t.Fatal(err)
	}
	m.facts.Kernel, again.now = "6.18", func() time.Time { return m.clock }
	driven := m.driven
	if err := again.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "the machine has changed: kernel") || hint.Of(err) == "" {
		t.Error(err)
	}
	if m.driven > driven {
		t.Errorf("it was noticed after %d runs", m.driven-driven)
	}
}

// TestBadInput checks what is refused before anything is measured.
func TestBadInput(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*Request)
		sets   []string
		want   string
	}{
		"time":      {func(r *Request) { r.For = secondsOf(5 * time.Minute) }, nil, "cannot search in 5 min: a round takes"},
		"objective": {func(r *Request) { r.Objective = "usd" }, nil, "the machine costs the same"},
		"unknown":   {func(r *Request) { r.Objective = "p98" }, nil, "there is no objective"},
		"rate":      {func(*Request) {}, []string{"rate=100"}, "the experiment has a rate"},
		"count":     {func(*Request) {}, []string{"duration=", "transactions=100"}, "how long a run of 100 transactions takes is not known"},
		"replica":   {func(*Request) {}, []string{"environments.gp3.replica={storage: {data: {emulate: gp3}}}"}, "cannot search with a replica"},
		"nothing":   {func(r *Request) { r.Layers = nil }, nil, "there is nothing to try"},
	} {
		t.Run(name, func(t *testing.T) {
			r := request()
			tc.change(&r)
			_, err := New(t.Context(), load(t, tc.sets...), nil, r, "0.1.0", newMachine(t))
			if err == nil || !strings.Contains(err.Error(), tc.want) || hint.Of(err) == "" {
				t.Errorf("%v (%s), want %s", err, hint.Of(err), tc.want)
			}
		})
	}
}

// TestDamaged checks that a state that this plinth has not written is refused.
func TestDamaged(t *testing.T) {
	s := begin(t, newMachine(t), request())
	path := filepath.Join(s.dir, stateFile)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(string) string{
		"empty":  func(string) string { return "" },
		"schema": func(text string) string { return strings.Replace(text, Schema, "plinth/search/v2", 1) },
		"point": func(text string) string {
			return strings.Replace(text, `"used_s"`, `"confirmation": {"at": [99]}, "used_s"`, 1)
		},
		"start": func(text string) string { return strings.Replace(text, `"start": 0`, `"start": 99`, 1) },
	} {
		if err := os.WriteFile(path, []byte(change(string(good))), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(s.dir, nil); err == nil {
			t.Errorf("%s: it was read", name)
		}
	}
	s.Confirmation = &Confirmation{At: search.New(s.Space).At()}
	if err := s.save(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(s.dir, nil); err == nil {
		t.Error("a confirmation against nothing was read")
	}
	if _, err := Open(t.TempDir(), nil); err == nil || !strings.Contains(err.Error(), "is not a search") {
		t.Errorf("no search: %v", err)
	}
}
