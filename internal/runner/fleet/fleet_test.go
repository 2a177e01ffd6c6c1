package fleet

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/experiment/decode"
	"plinth/internal/host/watch"
	"plinth/internal/record"
	"plinth/internal/runner/preview"
	"plinth/internal/runner/site"
	"plinth/internal/runner/stand"
)

// machine is a site that holds at most a scale, emulates at most a rate, and leaves out environments.
type machine struct {
	site.Site
	holds   int
	rate    float64
	leaves  string
	given   *stand.Rates // the last
	foresaw []string     // environments
	fails   error
	is      site.Machine
	idle    []watch.IdleThread // that it starts
	opening site.Opening
	order   site.Order
	needs   func(apart bool) preview.Preview // of its environments; nil for nothing
	asked   []*bool                          // SideBySide of each plan
}

func (m *machine) Open(_ context.Context, o site.Opening) (site.Opened, error) {
	m.opening = o
	return site.Opened{Notes: []record.Note{{Rule: "asleep"}}, Idle: m.idle}, nil
}

func (m *machine) Ready(_ context.Context, o site.Order) (site.Ready, error) {
	m.order = o
	return site.Ready{}, nil
}

func (m *machine) Machines(context.Context) ([]site.Machine, error) {
	return []site.Machine{m.is}, nil
}

func (m *machine) Foresee(_ context.Context, p site.Plan) (site.Foreseen, error) {
	m.foresaw = nil
	e := *p.Experiment
	f := site.Foreseen{Experiment: &e, Preview: preview.Preview{SideBySide: true, Disks: []preview.DiskNeed{{Path: "/srv"}}}}
	m.asked = append(m.asked, p.SideBySide)
	if m.needs != nil {
		f.Preview = m.needs(p.SideBySide != nil && !*p.SideBySide)
	}
	for _, environment := range p.Experiment.Environments {
		m.foresaw = append(m.foresaw, environment.Name)
	}
	if e.Dataset.Scale > m.holds {
		f.Preview.Fitted(e.Dataset.Scale, m.holds)
		e.Dataset.Scale, p.Experiment.Dataset.Scale = m.holds, m.holds
	}
	if m.leaves != "" {
		e.Environments = slices.DeleteFunc(slices.Clone(e.Environments), func(e experiment.Environment) bool { return e.Name == m.leaves })
		f.Preview.LeftOut = []record.LeftOut{{Environment: m.leaves}}
	}
	return f, m.fails
}

func (m *machine) SettleRates(_ context.Context, given *stand.Rates) (stand.Rates, []string, error) {
	m.given = given
	if given != nil {
		return *given, nil, nil
	}
	return stand.Rates{Scale: m.rate, Form: "fuse"}, nil, nil
}

func (m *machine) Inventories(context.Context) ([]site.Inventory, []record.Note, error) {
	return []site.Inventory{{}}, nil, m.fails
}

const three = `workloads: [select-only]
dataset: {scale: 200, fit: true}
environments:
  here: {storage: {data: /srv}}
  a: {at: ssh://db1, storage: {data: /srv}}
  b: {at: ssh://db1, storage: {data: /srv}}
`

func load(t *testing.T) *experiment.Experiment {
	t.Helper()
	e, _, err := decode.Parse("x.yaml", []byte(three), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// of returns the fleet of an experiment on two machines.
func of(t *testing.T, e *experiment.Experiment, here, db1 *machine) *Fleet {
	t.Helper()
	f, err := New(e, []Member{{Site: here}, {At: "ssh://db1", Site: db1}})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// All machines load the scale that the smallest one can hold, and a warning says so.
func TestScale(t *testing.T) {
	for _, holds := range [][2]int{{100, 50}, {50, 100}, {50, 25}, {200, 200}} {
		e, least := load(t), min(holds[0], holds[1])
		foreseen, err := of(t, e, &machine{holds: holds[0]}, &machine{holds: holds[1]}).Foresee(t.Context(), site.Plan{Experiment: e})
		if err != nil {
			t.Fatal(err)
		}
		var warned []string
		for _, w := range foreseen.Preview.Warnings {
			warned = append(warned, w.Text)
		}
		want := []string(nil)
		if least < 200 {
			want = []string{"scale " + map[int]string{50: "50", 25: "25"}[least] + " instead of 200: a volume is too small for more"}
		}
		if e.Dataset.Scale != least || foreseen.Experiment.Dataset.Scale != least || !slices.Equal(warned, want) {
			t.Errorf("%v: scale %d and %d, warnings %v", holds, e.Dataset.Scale, foreseen.Experiment.Dataset.Scale, warned)
		}
	}
}

// Each machine is asked about its own environments, and those that it leaves out are gone.
func TestForesee(t *testing.T) {
	e := load(t)
	here, db1 := &machine{holds: 200}, &machine{holds: 200, leaves: "b"}
	foreseen, err := of(t, e, here, db1).Foresee(t.Context(), site.Plan{Experiment: e})
	if err != nil || !slices.Equal(here.foresaw, []string{"here"}) || !slices.Equal(db1.foresaw, []string{"a", "b"}) {
		t.Errorf("%v, %v, %v", here.foresaw, db1.foresaw, err)
	}
	for _, of := range []*experiment.Experiment{e, foreseen.Experiment} {
		if len(of.Environments) != 2 || of.Environments[0].Name != "here" || of.Environments[1].Name != "a" {
			t.Errorf("environments %+v", of.Environments)
		}
	}
	if disks := foreseen.Preview.Disks; len(disks) != 2 || disks[0].Path != "/srv" || disks[1].Path != "ssh://db1:/srv" {
		t.Errorf("disks %+v", disks)
	}
	db1.fails = errors.New("no initdb found")
	if _, err := of(t, load(t), here, db1).Foresee(t.Context(), site.Plan{Experiment: load(t)}); err == nil || err.Error() != "ssh://db1: no initdb found" {
		t.Errorf("error %v", err)
	}
}

// The slowest machine decides the rates of all, and each keeps its form.
func TestRates(t *testing.T) {
	here, db1 := &machine{rate: 0.5}, &machine{rate: 1}
	rates, said, err := of(t, load(t), here, db1).SettleRates(t.Context(), nil)
	if err != nil || rates.Scale != 0.5 || db1.given == nil || *db1.given != (stand.Rates{Scale: 0.5, Form: "fuse"}) || here.given != nil {
		t.Errorf("%+v, %v, %v, %v", rates, here.given, db1.given, err)
	}
	if !strings.HasPrefix(strings.Join(said, "\n"), "ssh://db1: ") {
		t.Errorf("it says %v", said)
	}
}

// A machine whose inventory fails does not hide the others.
func TestInventories(t *testing.T) {
	all, notes, err := of(t, load(t), &machine{}, &machine{fails: errors.New("no /sys")}).Inventories(t.Context())
	if err != nil || len(all) == 0 || all[0].At != "" || len(notes) != 1 || notes[0].Text != "ssh://db1: no /sys" {
		t.Errorf("%+v, %+v, %v", all, notes, err)
	}
}

func TestNewWithoutAMachine(t *testing.T) {
	if _, err := New(load(t), []Member{{}}); err == nil {
		t.Error("an environment has no machine")
	}
}
