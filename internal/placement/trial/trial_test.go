package trial

import (
	"slices"
	"strings"
	"testing"
	"time"

	"plinth/internal/device"
	"plinth/internal/engine/postgres/relation"
	"plinth/internal/experiment"
	"plinth/internal/experiment/decode"
	"plinth/internal/placement"
	"plinth/internal/unit"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// ordersOf is a table of 256 MiB with an index of 256 MiB, so that the copy has the same size.
func orders() relation.Rates {
	table := relation.Name{Schema: "public", Name: "Order List"}
	key := relation.Name{Schema: "public", Name: "order-key"}
	return relation.Rates{
		From: time.Unix(0, 0), To: time.Unix(60, 0),
		Reading: relation.Reading{Database: relation.Database{Name: "Shop 1", BlockSize: 8192, Tablespace: "pg_default"}},
		Relations: []relation.RelationRate{
			{
				Relation: relation.Relation{OID: 1, Kind: relation.Table, Name: table, Tablespace: "pg_default", Size: 256 << 20, Rows: 1e6},
				Flow:     relation.Flow{Requests: 110, Misses: 27.5, Inserted: 10},
			},
			{
				Relation: relation.Relation{OID: 2, Kind: relation.Index, Name: key, Of: &table, Tablespace: "pg_default", Size: 256 << 20, Rows: 1e6},
				Flow:     relation.Flow{Requests: 330, IndexScans: 100, Inserted: 10},
			},
		},
		ServerRates: relation.ServerRates{Commits: 200, TempBytes: 3e5, WALBytes: relation.Unknown, WALWrites: relation.Unknown, WALSyncs: relation.Unknown, Blocks: relation.Unknown, Checkpoint: time.Minute},
	}
}

// TestShape: a row of 268 bytes has 28 of overhead, 16 of keys and 4 before its text; an index entry of
// 268 bytes, of which 90 % are used, 24 beside its text.
func TestShape(t *testing.T) {
	s := shapeOf(orders())
	if s.scale != 1 || s.batch != 1 || len(s.tables) != 1 {
		t.Fatalf("%+v", s)
	}
	table := s.tables[0]
	if table.label != "order_list" || table.filler != 220 || table.rows != (256<<20)/268 || table.missing != 0.25 {
		t.Errorf("table %+v", table)
	}
	if i := table.indexes[0]; i.label != "order_key" || i.text != 217 || i.key != "k1" || i.scans != 100 {
		t.Errorf("index %+v", i)
	}
}

// TestScripts: of 110.1 statements a second, 100 read by the index, 10 insert, 0.1 sort.
func TestScripts(t *testing.T) {
	all, notes := shapeOf(orders()).scripts()
	if len(notes) > 0 || len(all) != 3 {
		t.Fatalf("%q %+v", notes, all)
	}
	want := "\\set any random(1, 1000)\n\\if :any <= 250\n\\set k random(1, 1001624)\n\\else\n\\set k random(1, 20032)\n\\endif\n" +
		`SELECT filler FROM "order_list" WHERE k1 = :k;`
	if all[0].sql != want {
		t.Errorf("got %s\nwant %s", all[0].sql, want)
	}
	var names []string
	sum := 0
	for _, one := range all {
		names = append(names, one.name)
		sum += one.weight
	}
	if !slices.Equal(names, []string{"order-list-by-order-key", "order-list-insert", "sort"}) || all[0].weight != 90827 || all[1].weight != 9083 || sum < weights-2 || sum > weights+2 {
		t.Errorf("%q %+v", names, all)
	}
}

// TestMix: what is read and changed in other ways.
func TestMix(t *testing.T) {
	r := orders()
	r.Commits = 1
	r.Relations[0].Flow = relation.Flow{Requests: 2000, SeqScans: 0.01, Updated: 30, HotUpdated: 30, Deleted: 6}
	r.Relations[1].Requests, r.Relations[1].Inserted = 300, 0
	all, _ := shapeOf(r).scripts()
	text := ""
	for _, one := range all {
		text += one.name + ": " + one.sql + "\n"
	}
	for _, want := range []string{
		"order-list-scan: SELECT count(*) FROM", // 32,768 blocks in a hundred seconds
		"BETWEEN :k AND :k + 15;",               // (2000 - 36 - 327.68) / 100 rows a scan
		"UPDATE \"order_list\" SET n = n + 1 WHERE k1 BETWEEN :k AND :k + 35;",
		"DELETE FROM \"order_list\" WHERE k1 BETWEEN :k AND :k + 35;",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing in\n%s", want, text)
		}
	}
	// Without an index, rows are read by their position.
	r.Relations = r.Relations[:1]
	r.Relations[0].Flow = relation.Flow{Requests: 100, Misses: 100}
	all, _ = shapeOf(r).scripts()
	if len(all) == 0 || !strings.Contains(all[0].sql, "ctid") || strings.Contains(all[0].sql, "\\if") {
		t.Errorf("%+v", all)
	}
}

func stores(t *testing.T) []placement.Store {
	t.Helper()
	var all []placement.Store
	for _, name := range []string{"longhorn-2r", "local-nvme"} {
		e, err := device.Find(name)
		must(t, err)
		all = append(all, placement.Store{Name: "my-" + name, Device: e.Device})
	}
	fast, err := device.Configure("gp3", device.Options{IOPS: 6000, Throughput: 250 << 20})
	must(t, err)
	all = append(all, placement.Store{Name: "GP3", Device: fast})
	all[0].Tablespaces, all[0].WAL = []string{"pg_default"}, true
	return all
}

func parse(t *testing.T, text []byte) *experiment.Experiment {
	t.Helper()
	e, _, err := decode.Parse("x.yaml", text, "", nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return e
}

// TestFile: the WAL's store is the data volume; other stores are tablespaces; each object has its
// place as a setting.
func TestFile(t *testing.T) {
	r, all := orders(), stores(t)
	work := placement.FromRates(r)
	plan, err := placement.Find(work, all, placement.Goal{Objective: placement.LeastTime}, nil)
	must(t, err)
	layouts, err := Layouts(plan)
	must(t, err)
	text, err := File(r, all, layouts)
	must(t, err)
	e := parse(t, text)
	if e.Name != "place-shop-1" || e.Baseline != "before" || e.Repeats != 6 || len(e.Environments) != 2 {
		t.Fatalf("%s", text)
	}
	before, after := e.Environments[0], e.Environments[1]
	if before.Storage.Data.Emulate.Model == nil || before.Storage.Data.Emulate.Model.Replicas != 2 || before.Storage.Data.Emulate.Model.Throughput.Rate == 0 || len(before.Storage.Tablespaces) != 0 || before.Settings["layout.order_list"] != "pg_default" {
		t.Errorf("before: %+v", before.Storage.Data)
	}
	if name := after.Storage.Data.Emulate.Name; name != "pass-through" || after.Settings["layout.order_key"] != "pg_default" {
		t.Errorf("after: %+v", after.Storage.Data)
	}
	if after.Limits.Memory != memory || before.Limits.Memory != memory || memory < bufferSize+64*unit.MiB {
		t.Errorf("memory is %s and %s", before.Limits.Memory, after.Limits.Memory)
	}

	// Data on gp3, temporary files too, WAL on the local disk.
	layouts[1].At = map[string]string{placement.WAL: "my-local-nvme", placement.Temp: "GP3", "public.Order List": "GP3", "public.order-key": "my-local-nvme"}
	text, err = File(r, all, layouts)
	must(t, err)
	after = parse(t, text).Environments[1]
	space := after.Storage.Tablespaces[0]
	if space.Name != "on_gp3" || space.Volume.Emulate.Name != "gp3" || space.Volume.IOPS != 6000 || space.Volume.Throughput != 250<<20 {
		t.Errorf("tablespaces: %+v", after.Storage.Tablespaces)
	}
	if s := after.Settings; s["layout.order_list"] != "on_gp3" || s["layout.order_key"] != "pg_default" || s["temp_tablespaces"] != "on_gp3" {
		t.Errorf("settings: %v", s)
	}
}

// TestAll: the proposed layout is the baseline of the alternatives, with as many blocks as their number
// needs.
func TestAll(t *testing.T) {
	r, all := orders(), stores(t)
	work := placement.FromRates(r)
	plan, err := placement.Find(work, all, placement.Goal{Objective: placement.LeastTime}, nil)
	must(t, err)
	layouts := All(work, all, plan)
	names := map[string]bool{}
	for _, l := range layouts {
		if names[l.Name] || len(l.At) != len(work.Objects) {
			t.Errorf("%s: %v", l.Name, l.At)
		}
		names[l.Name] = true
	}
	if !names["proposed"] || !names["all-on-gp3"] || !names["all-on-my-longhorn-2r"] || len(layouts) < 4 {
		t.Errorf("layouts %v", names)
	}
	text, err := File(r, all, layouts)
	must(t, err)
	if e := parse(t, text); e.Baseline != "proposed" || len(e.Environments) != len(layouts) || e.Repeats < 7 {
		t.Errorf("%s", text)
	}
}

func TestRefused(t *testing.T) {
	r, all := orders(), stores(t)
	work := placement.FromRates(r)
	plan, err := placement.Find(work, all[:1], placement.Goal{Objective: placement.LeastTime}, nil)
	must(t, err)
	if _, err := Layouts(plan); err == nil || !strings.Contains(err.Error(), "the layout is the present one") {
		t.Errorf("one store: %v", err)
	}
	idle := orders()
	idle.Relations[0].Flow, idle.Relations[1].Flow, idle.TempBytes = relation.Flow{}, relation.Flow{}, 0
	two := []Layout{{Name: "a", At: map[string]string{placement.WAL: all[0].Name}}, {Name: "b", At: map[string]string{placement.WAL: all[1].Name}}}
	if _, err := File(idle, all, two); err == nil || !strings.Contains(err.Error(), "nothing was read or changed") {
		t.Errorf("idle: %v", err)
	}
	idle.Relations = nil
	if _, err := File(idle, all, two); err == nil || !strings.Contains(err.Error(), "no table") {
		t.Errorf("empty: %v", err)
	}
}
