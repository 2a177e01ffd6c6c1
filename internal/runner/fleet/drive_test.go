package fleet

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"plinth/internal/driver"
	"plinth/internal/driver/drivertest"
	"plinth/internal/driver/latency"
	"plinth/internal/engine"
	"plinth/internal/experiment"
	"plinth/internal/experiment/decode"
	"plinth/internal/record"
	"plinth/internal/runner/site"
)

// post is the machine of a server or of a load generator, whose clock is ahead of this one's.
type post struct {
	site.Site
	ahead, within time.Duration
	steps         time.Duration // of its clock, after each comparison
	fails         error         // Drive
	unready       error         // Ready
	addresses     []netip.Addr

	mu     sync.Mutex
	orders []site.Order
	jobs   []driver.Job
	ending site.Ending
	begun  time.Time
	opened site.Opening
}

func (p *post) Machines(context.Context) ([]site.Machine, error) {
	return []site.Machine{{Addresses: p.addresses}}, nil
}

func (p *post) Open(_ context.Context, o site.Opening) (site.Opened, error) {
	p.opened = o
	return site.Opened{}, nil
}

func (p *post) Clock(context.Context, int) (ahead, within time.Duration, err error) {
	ahead = p.ahead
	p.ahead += p.steps
	return ahead, p.within, nil
}

func (p *post) Ready(_ context.Context, o site.Order) (site.Ready, error) {
	p.orders = append(p.orders, o)
	return site.Ready{Target: engine.Target{Conninfo: "host=192.0.2.1"}}, p.unready
}

func (p *post) Begun(window time.Time) { p.begun = window }

// Drive drives 100 transactions in each of two seconds.
func (p *post) Drive(_ context.Context, job driver.Job) (*driver.Outcome, error) {
	p.mu.Lock()
	p.jobs = append(p.jobs, job)
	p.mu.Unlock()
	if p.fails != nil {
		return nil, p.fails
	}
	begin := job.Window
	if begin.IsZero() {
		begin = time.Now().Add(p.ahead)
	}
	begin = begin.Round(time.Microsecond)
	job.Begun(begin)
	file, err := job.Keep.CreateHistogramLog()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	log := latency.NewLog(file)
	log.Begin("test", begin)
	for second := range 2 {
		counts := latency.New()
		for range 100 {
			counts.Add(int64(time.Millisecond))
		}
		log.Interval("", float64(second), 1, counts)
		job.Live(record.Point{Second: float64(second), TPS: 100, LatencyMS: 1})
	}
	whole := record.NewHistogram()
	_ = whole.RecordValues(int64(time.Millisecond), 200)
	return &driver.Outcome{Driver: record.Driver{Program: "test", Version: "1"}, Begin: begin, End: begin.Add(2 * time.Second),
		Result: record.Result{Loop: "closed", Duration: 2, Transactions: 200, TPS: 100, Latency: latency.Summarise(whole, 1e6, 1e6)},
		Points: record.Points{Columns: []record.Column{{Name: "second", Values: []float64{0, 1}}, {Name: "tps", Values: []float64{100, 100}}}},
	}, log.Close()
}

func (p *post) End(_ context.Context, e site.Ending) (site.Account, error) {
	p.ending = e
	return site.Account{Evidence: &record.Evidence{Load: 2}, Network: &record.Network{RoundTrip: 1e5}}, nil
}

// driven returns a fleet of a server, whose clock is a minute ahead, and two load generators.
func driven(t *testing.T, text string) (f *Fleet, e *experiment.Experiment, server, one, two *post) {
	t.Helper()
	e, _, err := decode.Parse("x.yaml", []byte(text), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	at := netip.MustParseAddr
	server = &post{ahead: time.Minute, addresses: []netip.Addr{at("192.0.2.1"), at("fd00::1")}}
	one = &post{ahead: -time.Second, addresses: []netip.Addr{at("192.0.2.8"), at("198.51.100.8")}}
	two = &post{ahead: 2 * time.Second, addresses: []netip.Addr{at("192.0.2.9"), at("fd00::9")}}
	f, err = New(e, []Member{{At: "ssh://db1", Site: server, Address: at("192.0.2.1")}, {At: "ssh://load1", Site: one}, {At: "ssh://load2", Site: two}})
	if err != nil {
		t.Fatal(err)
	}
	f.reached = map[string]netip.Addr{"a": server.addresses[0]}
	return f, e, server, one, two
}

const drivenText = `workloads: [select-only]
clients: 3
threads: 2
duration: 2s
warmup: 1s
at: ssh://db1
driver: {at: [ssh://load1, ssh://load2]}
environments: {a: {storage: {data: /srv}}}
`

// Two load generators share the clients, begin at one instant, each by its own clock, and count as one.
func TestDriversApart(t *testing.T) {
	f, e, server, one, two := driven(t, drivenText)
	ready, err := f.Ready(t.Context(), site.Order{Environment: "a"})
	if err != nil {
		t.Fatal(err)
	}
	if o := server.orders; len(o) != 1 || o[0].Environment != "a" || !o[0].Apart {
		t.Errorf("the server's machine was told %+v", o)
	}
	if o := two.orders; len(o) != 1 || o[0].Environment != "" || o[0].Target.Conninfo != ready.Target.Conninfo {
		t.Errorf("a load generator's machine was told %+v", o)
	}
	var live []record.Point
	kept := drivertest.In(t, t.TempDir())
	outcome, err := f.Drive(t.Context(), driver.Job{
		Cell: e.Cells()[0], Keep: kept, Begun: f.Begun, Live: func(p record.Point) { live = append(live, p) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := one.jobs[0].Cell, two.jobs[0].Cell; a.Clients != 2 || b.Clients != 1 || a.Threads != 1 || b.Threads != 1 {
		t.Errorf("the shares are %+v and %+v", a, b)
	}
	if apart := two.jobs[0].Window.Sub(one.jobs[0].Window); apart != 3*time.Second {
		t.Errorf("the windows begin %s apart, by clocks that are 3s apart", apart)
	}
	if want := one.jobs[0].Window.Add(61 * time.Second).Round(time.Microsecond); !outcome.Begin.Equal(want) || server.begun.Sub(want).Abs() > time.Microsecond {
		t.Errorf("the window began at %s, and the server was told %s; want %s", outcome.Begin, server.begun, want)
	}
	if r := outcome.Result; r.Transactions != 400 || r.TPS != 200 || len(outcome.Problems) > 0 {
		t.Errorf("result %+v, problems %+v", r, outcome.Problems)
	}
	if len(live) != 2 || live[1] != (record.Point{Second: 1, TPS: 200, LatencyMS: 1}) {
		t.Errorf("it showed %+v", live)
	}
	account, err := f.End(t.Context(), site.Ending{Begin: outcome.Begin, End: outcome.End})
	if err != nil || len(account.Generators) != 2 || len(account.Problems)+len(account.Warnings) > 0 {
		t.Fatalf("%+v, %v", account, err)
	}
	if g := account.Generators[1]; g.At != "ssh://load2" || g.Clients != 1 || g.TPS != 100 || g.Clock.Ahead != 58 || g.Clock.Drift != 0 || g.Evidence == nil || g.Network == nil {
		t.Errorf("generator %+v", g)
	}
	if b := one.ending.Begin; b.Sub(outcome.Begin) != -61*time.Second {
		t.Errorf("the window of load1 began at %s by its own clock, at %s by the server's", b, outcome.Begin)
	}
}

// If a load generator's machine is not ready, what has begun on the server's machine ends.
func TestDriverIsNotReady(t *testing.T) {
	f, _, server, one, _ := driven(t, drivenText)
	one.unready = errors.New("no route")
	if _, err := f.Ready(t.Context(), site.Order{Environment: "a"}); err == nil || !strings.Contains(err.Error(), "ssh://load1: no route") {
		t.Errorf("error %v", err)
	}
	if !server.ending.Failed {
		t.Error("the server's machine goes on")
	}
}

// A load generator that fails ends the others, and is named.
func TestDriverFails(t *testing.T) {
	f, e, _, _, two := driven(t, drivenText)
	two.fails = errors.New("pgbench: no route")
	if _, err := f.Ready(t.Context(), site.Order{Environment: "a"}); err != nil {
		t.Fatal(err)
	}
	_, err := f.Drive(t.Context(), driver.Job{Cell: e.Cells()[0], Keep: drivertest.In(t, t.TempDir()), Begun: f.Begun, Live: func(record.Point) {}})
	if err == nil || err.Error() != "ssh://load2: pgbench: no route" {
		t.Errorf("error %v", err)
	}
}

// Clocks that drift apart during a run are reported. A step makes the run invalid.
func TestClocksGoApart(t *testing.T) {
	for by, want := range map[time.Duration][2]string{0: {}, 4 * time.Millisecond: {}, 15 * time.Millisecond: {"", "clock-drift"}, -50 * time.Millisecond: {"clock-step", ""}} {
		f, e, server, _, _ := driven(t, strings.Replace(drivenText, "[ssh://load1, ssh://load2]", "ssh://load1", 1))
		server.steps = by
		if _, err := f.Ready(t.Context(), site.Order{Environment: "a"}); err != nil {
			t.Fatal(err)
		}
		o, err := f.Drive(t.Context(), driver.Job{Cell: e.Cells()[0], Keep: drivertest.In(t, t.TempDir()), Begun: f.Begun, Live: func(record.Point) {}})
		if err != nil {
			t.Fatal(err)
		}
		account, err := f.End(t.Context(), site.Ending{Begin: o.Begin, End: o.End})
		got := [2]string{rules(account.Problems), rules(account.Warnings)}
		if err != nil || got != want {
			t.Errorf("%s: %v, want %v; %v", by, got, want, err)
		}
	}
}

func rules(notes []record.Note) string {
	var all []string
	for _, n := range notes {
		all = append(all, n.Rule)
	}
	return strings.Join(all, " ")
}

// The servers listen for the load generators at one address, which is found if there is no doubt.
func TestAccess(t *testing.T) {
	f, _, server, one, _ := driven(t, drivenText)
	if _, err := f.Open(t.Context(), site.Opening{}); err != nil {
		t.Fatal(err)
	}
	a := server.opened.Access["a"]
	var from []string
	for _, d := range a.Drivers {
		from = append(from, d.String())
	}
	if a.Address.String() != "192.0.2.1" || !slices.Equal(from, []string{"192.0.2.8", "198.51.100.8", "192.0.2.9"}) || one.opened.Access != nil {
		t.Errorf("%+v, %+v", a, one.opened.Access)
	}
	f.members[0].Address = netip.Addr{}
	_, err := f.Open(t.Context(), site.Opening{})
	if err == nil || !errors.As(err, new(*site.InputError)) || !strings.Contains(err.Error(), "environment a: it is not known at which address of ssh://db1") {
		t.Errorf("error %v", err)
	}
	for listen, want := range map[string]string{"fd00::1": "fd00::1 from fd00::9", "127.0.0.2": "127.0.0.2 from 127.0.0.2", "192.0.2.7": "ssh://db1 has no address 192.0.2.7"} {
		f, _, server, _, _ := driven(t, strings.Replace(drivenText, "{storage", "{listen: '"+listen+"', storage", 1))
		_, err := f.Open(t.Context(), site.Opening{})
		got := ""
		if err != nil {
			got = err.Error()
		} else if a := server.opened.Access["a"]; len(a.Drivers) == 1 {
			got = a.Address.String() + " from " + a.Drivers[0].String()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s", listen, got)
		}
	}
}
