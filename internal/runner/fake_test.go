package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"plinth/internal/driver"
	"plinth/internal/engine"
	"plinth/internal/experiment"
	experimentfile "plinth/internal/experiment/decode"
	"plinth/internal/host"
	"plinth/internal/host/launch"
	"plinth/internal/host/watch"
	"plinth/internal/limit"
	"plinth/internal/record"
	"plinth/internal/runner/agent"
	"plinth/internal/runner/fault"
	"plinth/internal/runner/fleet"
	"plinth/internal/runner/observer"
	"plinth/internal/runner/preview"
	"plinth/internal/runner/site"
	"plinth/internal/runner/stand"
	"plinth/internal/runner/tuning"
	"plinth/internal/telemetry"
)

// world simulates a machine with servers and load generators. It records events in order.
type world struct {
	mu      sync.Mutex
	events  []string
	up      map[string]bool // running servers
	there   map[string]bool // servers that were created and not removed
	sites   int
	listens string // where servers are reached over a network, as connection parameters
	loading func(server string)
	outcome func(run int, job driver.Job) (*driver.Outcome, error)
	driven  int
	cancel  context.CancelFunc
	stuck   string // the environment whose removal fails
	facts   host.Facts
	clock   time.Duration // by how much the wall clock was stepped
	disk    string        // the disk under the data
	apart   bool          // only one server runs at a time

	eventBegun, eventEnds chan struct{}

	crashes

	activity   engine.Activity // of every server
	conditions host.Conditions

	processes func() (*watch.Processes, error) // processes beside the load; none if nil
	relations func() ([]byte, error)           // the statistics of tables and indexes; none if nil

	lanes func() []telemetry.Lane // sources that are read once a second
	view  silent
}

func (w *world) note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, fmt.Sprintf(format, args...))
}

// turn starts or stops a server. Several machines may do so at once.
func (w *world) turn(server string, on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.up[server] = on
}

// count returns the number of events that begin with prefix.
func (w *world) count(prefix string) int {
	n := 0
	for _, e := range w.events {
		if strings.HasPrefix(e, prefix) {
			n++
		}
	}
	return n
}

// fakeServer is a server of the world.
type fakeServer struct {
	w    *world
	name string
	dead error // the error of Check
}

func (s *fakeServer) Start(context.Context) error {
	s.w.note("start %s", s.name)
	s.w.turn(s.name, true)
	s.dead = nil
	return nil
}

func (s *fakeServer) Stop(context.Context) error {
	s.w.note("stop %s", s.name)
	s.w.turn(s.name, false)
	return nil
}

func (s *fakeServer) Load(ctx context.Context, _ func(engine.Progress)) error {
	s.w.note("load %s", s.name)
	if s.w.loading != nil {
		s.w.loading(s.name)
	}
	return ctx.Err()
}

func (s *fakeServer) CheckScripts(context.Context) error { return nil }

func (s *fakeServer) Reset(_ context.Context, how string) error {
	s.w.note("reset %s", how)
	return s.running()
}

func (s *fakeServer) running() error {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	if !s.w.up[s.name] {
		return errors.New("the server of " + s.name + " is not up")
	}
	return nil
}

func (s *fakeServer) Checkpoint(context.Context) error { return s.running() }

func (s *fakeServer) Check(context.Context) error { return s.dead }

func (s *fakeServer) Activity(context.Context) (engine.Activity, error) {
	return s.w.activity, s.running()
}

func (s *fakeServer) Relations(context.Context) ([]byte, error) {
	if s.w.relations == nil {
		return nil, nil
	}
	s.w.note("relations %s", s.name)
	return s.w.relations()
}

func (s *fakeServer) Describe(context.Context) (record.Environment, error) {
	return record.Environment{Name: s.name, Kind: "own", Server: "PostgreSQL", Version: "1",
		Volumes: []record.Volume{{Role: "data", Source: s.w.disk}}}, nil
}

func (s *fakeServer) Target() engine.Target {
	return engine.Target{Conninfo: s.w.listens + "dbname=" + s.name}
}

// serverOf returns the name of the server that a job drives.
func serverOf(job driver.Job) string {
	_, name, _ := strings.Cut(job.Conninfo, "dbname=")
	return name
}

func (s *fakeServer) Remove(context.Context) error {
	if s.w.stuck == s.name {
		return errors.New(s.name + " does not go away")
	}
	s.w.note("remove %s", s.name)
	s.w.turn(s.name, false)
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	delete(s.w.there, s.name)
	return nil
}

// fakeDriver drives runs of the world.
type fakeDriver struct{ w *world }

func (d fakeDriver) Drive(ctx context.Context, _ launch.Launcher, job driver.Job) (*driver.Outcome, error) {
	d.w.driven++
	d.w.note("drive %s %s", serverOf(job), job.Cell.Path())
	outcome, err := d.w.outcome(d.w.driven, job)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return outcome, err
}

// good returns the outcome of a run without errors.
func good(tps float64) *driver.Outcome {
	return &driver.Outcome{
		Result: record.Result{Loop: "closed", Duration: 1, Transactions: int64(tps), TPS: tps},
		Points: record.Points{Columns: []record.Column{{Name: "second", Values: []float64{0}}, {Name: "tps", Values: []float64{tps}}}},
	}
}

// silent is a View that records messages and problems.
type silent struct{ said, problems []string }

func (v *silent) Say(text string) { v.said = append(v.said, text) }
func (v *silent) Status(s Status) {
	if s.Problem != "" {
		v.problems = append(v.problems, s.Problem)
	}
}

// place returns a stand with a server of the world.
func (w *world) place(e experiment.Environment, name string) *stand.Stand {
	w.mu.Lock()
	w.there[name] = true
	w.mu.Unlock()
	return &stand.Stand{Environment: e, Server: &fakeServer{w: w, name: name}}
}

func newWorld() *world {
	return &world{
		up: map[string]bool{}, there: map[string]bool{}, facts: host.Facts{Kernel: "6.1", CPUs: 2},
		outcome: func(int, driver.Job) (*driver.Outcome, error) { return good(1000), nil },
	}
}

// overAgent is the environment variable that puts an agent between the runner and the world, or
// every second environment or the load generator on another machine.
const overAgent = "PLINTH_TEST_OVER_AGENT"

// behindAgent returns a site behind an agent in this process.
func behindAgent(t *testing.T, s site.Site) site.Site {
	here, there := net.Pipe()
	served := make(chan error, 1)
	go func() { served <- agent.Serve(context.Background(), s, there, agent.Options{Version: "test"}) }()
	client, err := agent.Connect(t.Context(), here, agent.Options{Version: "test"}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.Disconnect(); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil && !strings.Contains(err.Error(), "does not go away") {
			t.Error(err)
		}
	})
	return client
}

// TestOverAnAgent runs the other tests again with an agent between the runner and the world, on two
// machines, and with the load generator on another machine.
func TestOverAnAgent(t *testing.T) {
	if os.Getenv(overAgent) != "" {
		t.Skip("this is the second run")
	}
	for mode, skip := range map[string]string{
		"agent":  "TestOverAnAgent",
		"driver": "TestOverAnAgent|TestResumeRefusesAnEditedExperimentAndAnotherMachine", // the file has no driver
		// What servers of one machine do to each other.
		"fleet": "TestOverAnAgent|TestSwitching|TestReplicaIsFedBeforeEachRun|TestWhatWasSeenAroundARunIsItsEvidence|TestResumeRefusesAnEditedExperimentAndAnotherMachine",
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			again := exec.CommandContext(t.Context(), os.Args[0], "-test.skip="+skip)
			again.Env = append(os.Environ(), overAgent+"="+mode)
			if out, err := again.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// fleet returns the world as two machines; every second environment is at the second one, behind an
// agent.
func (w *world) fleet(t *testing.T, e *experiment.Experiment) site.Site {
	members := []fleet.Member{{Site: w.site(e)}, {At: "ssh://two", Site: behindAgent(t, w.site(e))}}
	for i := 1; i < len(e.Environments); i += 2 {
		e.Environments[i].At.SSH = members[1].At
		for _, path := range e.Environments[i].Paths() {
			if *path == "." {
				*path = "/srv"
			}
		}
	}
	all, err := fleet.New(e, members)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// drivenFrom returns the world with its load generator on another machine, behind an agent.
func (w *world) drivenFrom(t *testing.T, e *experiment.Experiment) site.Site {
	e.Driver.At = []experiment.At{{SSH: "ssh://load"}}
	for i := range e.Environments {
		e.Environments[i].Listen = "127.0.0.1"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0") // which the load generator's machine tries to reach
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	w.listens = fmt.Sprintf("host=127.0.0.1 port=%d ", listener.Addr().(*net.TCPAddr).Port)
	nothing := *e
	nothing.Environments = nil
	all, err := fleet.New(e, []fleet.Member{{Site: w.site(e)}, {At: "ssh://load", Site: behindAgent(t, w.site(&nothing))}})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// site returns the world as a site that foresaw an experiment.
func (w *world) site(e *experiment.Experiment) *site.Local {
	l := site.NewLocal()
	w.sites++
	state := filepath.Join(os.Getenv("PLINTH_STATE"), strconv.Itoa(w.sites)) // each machine has its own
	l.Adopt(&tuning.Tuning{Experiment: e}, !w.apart)
	l.Driver = fakeDriver{w}
	l.Machine = site.Readers{
		Facts:      func() (host.Facts, error) { return w.facts, nil },
		Conditions: func() (host.Conditions, error) { return maps.Clone(w.conditions), nil },
		// Only one test reads the real processes of this machine: that takes longer than all the
		// rest.
		Processes: func() (*watch.Processes, error) { return &watch.Processes{}, nil },
		Look:      func(context.Context, map[string]string) (host.Inventory, error) { return host.Inventory{}, nil },
		Clock:     func() time.Duration { return w.clock },
		Addresses: func() ([]netip.Addr, error) { return []netip.Addr{netip.MustParseAddr("192.0.2.1")}, nil },
		State:     func() (string, error) { return state, nil },
	}
	if w.processes != nil {
		l.Machine.Processes = w.processes
	}
	l.Lanes = func(*stand.Stand, *limit.Meter, *observer.Observer) []telemetry.Lane {
		if w.lanes == nil {
			return nil
		}
		return w.lanes()
	}
	l.Make = func(_ context.Context, e experiment.Environment) (*stand.Stand, error) {
		p := w.place(e, e.Name)
		if e.Replica.There() {
			p.Replica = w.place(experiment.ReplicaOf(e), e.Name+"-replica")
		}
		return p, nil
	}
	return l
}

const twoDisks = `
name: two-disks
workloads: [select-only, tpcb-like]
clients: [1, 2]
repeats: 2
seed: 7
duration: 1s
warmup: 0s
environments: {one: {}, two: {}}
`

// start carries out the experiment in text in the world, or resumes the record.
func (w *world) start(t *testing.T, store, text string, resume *record.Record) (*record.Record, error) {
	t.Helper()
	t.Setenv("PLINTH_STATE", t.TempDir())
	e, _, err := experimentfile.Parse("test.yaml", []byte(text), t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w.cancel = cancel
	r := newRunner(Options{Experiment: e, Store: store, Version: "test", Resume: resume}, &w.view)
	r.preview = preview.Preview{SideBySide: !w.apart}
	r.site, r.moments = w.site(e), fault.Moments{Soonest: time.Millisecond, Latest: 3 * time.Millisecond}
	switch os.Getenv(overAgent) {
	case "agent":
		r.site = behindAgent(t, r.site)
	case "fleet":
		r.site = w.fleet(t, e)
	case "driver":
		r.site = w.drivenFrom(t, e)
	}
	path, err := r.run(ctx)
	rec, openErr := record.Open(path)
	if openErr != nil {
		t.Fatal(openErr)
	}
	if w.stuck == "" && len(w.there) > 0 {
		t.Errorf("left behind: %v", w.there)
	}
	return rec, err
}
