package placement

import (
	"slices"
	"strings"
	"testing"
	"time"

	"plinth/internal/engine/postgres/relation"
	"plinth/internal/unit"
)

// rates returns rates over ten minutes.
func rates(change func(*relation.Rates)) relation.Rates {
	end := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	r := relation.Rates{
		From: end.Add(-10 * time.Minute), To: end,
		Reading: relation.Reading{
			Taken: end, Since: end.Add(-100 * 24 * time.Hour), Server: relation.Server{AllStats: true},
			Database: relation.Database{Tablespace: "pg_default", BlockSize: 8192}, WAL: relation.WAL{Most: 1 << 30},
		},
		ServerRates: relation.ServerRates{Checkpoint: 5 * time.Minute, Blocks: relation.Unknown},
	}
	change(&r)
	return r
}

func find(t *testing.T, w Workload, name string) Object {
	t.Helper()
	for _, o := range w.Objects {
		if o.Name == name {
			return o
		}
	}
	t.Fatalf("%s is not there", name)
	return Object{}
}

func TestWALByHand(t *testing.T) {
	for name, test := range map[string]struct {
		rates     relation.ServerRates
		durable   Range
		writes    float64
		operation unit.Size
	}{
		"counted":       {relation.ServerRates{WALSyncs: 100, WALWrites: 150, WALBytes: 3e6, Commits: 500}, Exactly(100), 50, 20000},
		"small":         {relation.ServerRates{WALSyncs: 100, WALWrites: 100, WALBytes: 1e5}, Exactly(100), 0, 8192},
		"open_datasync": {relation.ServerRates{WALSyncs: 0, WALWrites: 150, WALBytes: 1e5}, Exactly(150), 0, 8192},
		"version 13":    {relation.ServerRates{WALSyncs: -1, WALWrites: -1, WALBytes: 1e6, Commits: 50}, Range{0, 50, 50}, 0, 20000},
		"idle":          {relation.ServerRates{}, Exactly(0), 0, 8192},
	} {
		o := walOf(rates(func(r *relation.Rates) { r.ServerRates = test.rates }))
		if o.Durable != test.durable || o.Writes.Likely != test.writes || o.Operation != test.operation || o.Size != unit.GiB {
			t.Errorf("%s: %+v", name, o)
		}
	}
}

func TestTemp(t *testing.T) {
	o := tempOf(rates(func(r *relation.Rates) { r.TempBytes = 1 << 20 }))
	if o.Reads != 8 || o.Writes != Exactly(8) || o.Tablespace != "pg_default" {
		t.Errorf("%+v", o)
	}
	o = tempOf(rates(func(r *relation.Rates) { r.Reading.Database.TempTablespaces = []string{"a b", "c"} }))
	if o.Tablespace != "a b" || len(o.spaces) != 2 {
		t.Errorf("%+v", o)
	}
}

// TestRest checks that relations that are not listed, and the server's catalog, stay where they are,
// and that the catalog has no temperature.
func TestRest(t *testing.T) {
	w := FromRates(rates(func(r *relation.Rates) {
		r.Rest = []relation.GroupRate{
			{Group: relation.Group{Name: relation.Name{Schema: "public", Name: "log"}, Tablespace: "fast", Members: 100, Size: 100 << 20}, Flow: relation.Flow{Requests: 50, Misses: 5}},
			{Group: relation.Group{Name: relation.Name{Schema: "pg_catalog"}, Tablespace: "pg_global", System: true, Indexes: true, Members: 3, Size: 1 << 20}, Flow: relation.Flow{Requests: 5000}},
		}
	}))
	log, system := find(t, w, "100 partitions of public.log in fast"), find(t, w, "3 indexes of pg_catalog in pg_global")
	if log.Fixed == "" || log.Temperature != Hot || log.Reads != 5 || log.Root == nil {
		t.Errorf("%+v", log)
	}
	if system.Fixed == "" || system.Temperature != "" {
		t.Errorf("%+v", system)
	}
	stores := []Store{
		{Name: "a", Device: constant(1e6, 1e6), Tablespaces: []string{"pg_default", "fast"}, WAL: true},
		{Name: "b", Device: constant(1e5, 1e5)},
	}
	plan, err := Find(w, stores, Goal{Objective: LeastTime}, nil)
	must(t, err)
	for _, o := range plan.Objects {
		if o.Fixed != "" && o.To != "a" {
			t.Errorf("%s moves", o.Name)
		}
	}
	if plan.Before == nil {
		t.Error("it is not known where the objects are")
	}
}

// TestScans checks what is said of scans: when the last one was, from version 16 on, or that there
// was none.
func TestScans(t *testing.T) {
	old := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	one := func(name, kind string) relation.RelationRate {
		r := relation.RelationRate{}
		r.Name.Name, r.Schema, r.Kind, r.Tablespace = name, "public", kind, "pg_default"
		return r
	}
	w := FromRates(rates(func(r *relation.Rates) {
		dated, never, unused, idle, used := one("dated", relation.Table), one("never", relation.Table), one("unused", relation.Index), one("idle", relation.Table), one("used", relation.Table)
		dated.LastIndexScan, dated.Relation.IndexScans = &old, 9
		unused.Of = &relation.Name{}
		idle.Relation.SeqScans, used.Relation.SeqScans, used.SeqScans = 5, 5, 1
		r.Relations = []relation.RelationRate{dated, never, unused, idle, used}
	}))
	for name, want := range map[string]string{
		"dated": "last scanned on 2026-01-02", "never": "not scanned since 2026-01-21", "unused": "not used since 2026-01-21", "idle": "not scanned between the two readings", "used": "",
	} {
		why := strings.Join(find(t, w, "public."+name).Why[1:], "; ")
		if want == "" && why != "" || !strings.Contains(why, want) {
			t.Errorf("%s: %q, want %q", name, why, want)
		}
	}
}

// TestNotes checks that each weakness of the rates is said, and none where there is none.
func TestNotes(t *testing.T) {
	for want, change := range map[string]func(*relation.Rates){
		"": func(*relation.Rates) {},
		"rates are averages since the statistics were reset, at 2026-05-01 11:50:00": func(r *relation.Rates) { r.SinceOnly, r.Reset = true, true },
		"rates are averages since the statistics began":                              func(r *relation.Rates) { r.SinceOnly = true },
		"rates are averages over the load of the run":                                func(r *relation.Rates) { r.Of = "run one/x/c1-j1/r01 of record y" },
		"the readings are 120 s apart":                                               func(r *relation.Rates) { r.From = r.To.Add(-119600 * time.Millisecond) },
		"pg_read_all_stats":                                                          func(r *relation.Rates) { r.Reading.Server.AllStats = false },
		"the server is a standby":                                                    func(r *relation.Rates) { r.Reading.Server.Standby = true },
		"does not count writes of the WAL":                                           func(r *relation.Rates) { r.WALSyncs = relation.Unknown },
		"1 relation locked": func(r *relation.Rates) {
			r.Relations = []relation.RelationRate{{Relation: relation.Relation{Estimated: true}}}
		},
	} {
		notes := notesOf(rates(change))
		if want == "" && len(notes) != 1 || want != "" && (len(notes) != 2 || !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, want) })) {
			t.Errorf("%q: %q", want, notes)
		}
	}
}

// TestMovesInOrder checks that what saves most moves first, that a store is left before others enter
// it if it has no room, and that new partitions follow their table.
func TestMovesInOrder(t *testing.T) {
	root := relation.Name{Schema: "public", Name: "log"}
	object := func(name, space string, size unit.Size, reads float64) Object {
		return Object{
			Name: name, Kind: relation.Partition, Relation: relation.Name{Schema: "public", Name: name}, Root: &root, Tablespace: space, Size: size, Reads: reads, future: "s",
		}
	}
	stores := []Store{
		{Name: "fast", Device: constant(1e5, 1e5), Capacity: 100, Tablespaces: []string{"f"}},
		{Name: "slow", Device: constant(1e6, 1e6), Tablespaces: []string{"s"}},
	}
	p := newProblem([]Object{object("out", "f", 90, 1), object("small", "s", 5, 10), object("large", "s", 50, 100)}, stores, Goal{Objective: LeastTime}, nil)
	if got := p.moving([]int{1, 0, 0}); !slices.Equal(got, []int{1, 0, 2}) {
		t.Errorf("the order is %v: first small, which fits, then out, then large", got)
	}
	steps, undo := p.steps([]int{0, 0, 0})
	last := steps[len(steps)-1]
	if len(steps) != 3 || last.SQL != `ALTER TABLE "public"."log" SET TABLESPACE "f";` || last.Do == "" {
		t.Errorf("steps %+v", steps)
	}
	want := []string{
		`ALTER TABLE "public"."log" SET TABLESPACE "s";`, `ALTER TABLE "public"."large" SET TABLESPACE "s";`, `ALTER TABLE "public"."small" SET TABLESPACE "s";`,
	}
	if !slices.Equal(undo, want) {
		t.Errorf("undo %q, want %q", undo, want)
	}
	if steps, _ := p.steps([]int{0, 1, 0}); len(steps) != 1 {
		t.Errorf("partitions on two stores: %+v", steps)
	}
}
