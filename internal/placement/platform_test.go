package placement

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"plinth/internal/device"
	"plinth/internal/engine/postgres/relation"
	"plinth/internal/unit"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// catalogued returns a device of the catalog.
func catalogued(t *testing.T, name string) device.Device {
	t.Helper()
	e, err := device.Find(name)
	must(t, err)
	return e.Device
}

// constant returns a device without a tail, so that results can be computed by hand.
func constant(read, write time.Duration) device.Device {
	return device.Device{
		Name: "constant", Read: device.Latency{Median: unit.Duration(read)}, Write: device.Latency{Median: unit.Duration(write)},
	}
}

const gb = unit.Size(1e9)

// platform is the content platform of "Storage Selection for Database Workloads": sizes, reads and
// writes a second as published. All objects are in pg_default, as before its layout.
func platform() []Object {
	object := func(name, of string, size unit.Size, reads, writes float64) Object {
		o := Object{
			Name: "public." + name, Kind: relation.Table, Relation: relation.Name{Schema: "public", Name: name}, Tablespace: "pg_default",
			Size: size, Requests: reads, Reads: reads, Queried: reads, Changed: writes, Writes: Exactly(writes), Operation: 8 * unit.KiB,
		}
		if of != "" {
			o.Kind, o.Of = relation.Index, &relation.Name{Schema: "public", Name: of}
		}
		return o
	}
	return []Object{
		object("articles", "", 12*gb, 4200, 120),
		object("articles_pkey", "articles", 1200*gb/1000, 4200, 0),
		object("articles_cat_pub", "articles", 800*gb/1000, 3100, 0),
		object("analytics_events", "", 48*gb, 20, 4200),
		object("analytics_events_ts", "analytics_events", 6*gb, 20, 4200),
		object("analytics_daily", "", 2*gb, 800, 24),
		object("subscriptions", "", 50*gb/1000, 10, 2),
		object("old_articles", "", 28*gb, 3, 0),
	}
}

// TestPublishedTemperatures checks that each object has the published temperature.
func TestPublishedTemperatures(t *testing.T) {
	objects := platform()
	warm(objects, Rules)
	want := []Temperature{Hot, Hot, Hot, WriteHot, WriteHot, Warm, Cold, Cold}
	for i, o := range objects {
		if o.Temperature != want[i] || len(o.Why) != 1 || !strings.HasPrefix(o.Why[0], string(o.Temperature)+": ") {
			t.Errorf("%s is %s (%q), published is %s", o.Name, o.Temperature, o.Why, want[i])
		}
	}
	if want := "hot: 34% of the reads and 1.4% of the writes (10% or more of the reads)"; objects[0].Why[0] != want {
		t.Errorf("articles: %s, want %s", objects[0].Why[0], want)
	}
}

// TestPartitionsTogether checks that a table that is hot as a whole is not cold because it has many
// partitions, and that its idle partitions are.
func TestPartitionsTogether(t *testing.T) {
	objects := []Object{{Name: "other", Kind: relation.Table, Queried: 1000}}
	root := relation.Name{Schema: "public", Name: "log"}
	for i := range 200 {
		o := Object{Name: "log", Kind: relation.Partition, Root: &root, Queried: 5, members: 1}
		if i >= 100 {
			o.Queried = 0
		}
		objects = append(objects, o)
	}
	warm(objects, Rules)
	if objects[1].Temperature != Hot || objects[150].Temperature != Cold {
		t.Errorf("a used partition is %s, an idle one %s", objects[1].Temperature, objects[150].Temperature)
	}
	// One of 100 partitions with a 500th of all requests is as cold as a table with as many.
	objects = []Object{{Name: "other", Kind: relation.Table, Queried: 1000}}
	for i := range 100 {
		o := Object{Name: "log", Kind: relation.Partition, Root: &root, members: 1}
		if i == 0 {
			o.Queried = 2
		}
		objects = append(objects, o)
	}
	warm(objects, Rules)
	if objects[1].Temperature != Cold {
		t.Errorf("the partition of a table that is hardly used is %s", objects[1].Temperature)
	}
}

func TestAppendOnly(t *testing.T) {
	objects := []Object{
		{Name: "log", Kind: relation.Table, Changes: Changes{Inserted: 1000, Deleted: 10}},
		{Name: "queue", Kind: relation.Table, Changes: Changes{Inserted: 1000, Deleted: 11}},
		{Name: "idle", Kind: relation.Table, Changes: Changes{Inserted: 0.05}},
		{Name: WAL, Kind: WAL, Changes: Changes{Inserted: 1000}},
	}
	warm(objects, Rules)
	for i, want := range []bool{true, false, false, false} {
		if objects[i].AppendOnly != want {
			t.Errorf("%s: append-only is %v", objects[i].Name, objects[i].AppendOnly)
		}
	}
}

// platformStores are an NVMe disk of 100 GB, a second one for the WAL, and a gp3 volume.
func platformStores(t *testing.T) []Store {
	return []Store{
		{Name: "nvme", Device: catalogued(t, "local-nvme"), Capacity: 100 * gb, Tablespaces: []string{"pg_default"}, WAL: true},
		{Name: "nvme-wal", Device: catalogued(t, "local-nvme"), Capacity: 50 * gb, Refuses: []string{relation.Table, relation.Index}},
		{Name: "gp3", Device: catalogued(t, "gp3"), Capacity: 500 * gb},
	}
}

// TestPublishedLayout checks that the published layout comes out: what is hot or written much stays
// on NVMe, old_articles goes to gp3. The published subscriptions go to gp3, too; here they stay, as
// the 50 MB do not help the NVMe disk and each of their 10 reads a second would take longer.
func TestPublishedLayout(t *testing.T) {
	objects := append(platform(), Object{Name: WAL, Kind: WAL, Durable: Exactly(4000), Operation: 8 * unit.KiB})
	price := func(s Store, size unit.Size) (float64, bool) {
		if s.Name == "gp3" {
			return float64(size) / 1e9 * 0.08, true // the published tariff
		}
		return 0, true // included with the instance
	}
	plan, err := Find(Workload{Objects: objects}, platformStores(t), Goal{Objective: LeastTime, Budget: 40}, price)
	must(t, err)
	if len(plan.Exceeded) != 1 || plan.Exceeded[0].What != "the capacity" { // 98.05 GB of 80
		t.Errorf("at present %v", plan.Exceeded)
	}
	if len(plan.Violations) > 0 || plan.Search.Method != Enumerated || plan.Search.Gap != 0 {
		t.Errorf("violations %v, search %+v", plan.Violations, plan.Search)
	}
	for _, o := range plan.Objects {
		want := "nvme"
		if o.Name == "public.old_articles" {
			want = "gp3"
		}
		if o.Kind != WAL && o.To != want {
			t.Errorf("%s goes to %s, not %s", o.Name, o.To, want)
		}
	}
	if usd := plan.After.Dollars; !usd.Known || usd.USD < 2.2399 || usd.USD > 2.2401 {
		t.Errorf("gp3 for 28 GB costs %v, published are $2.24", usd)
	}
	var statements []string
	for _, s := range plan.Steps {
		statements = append(statements, s.SQL)
	}
	want := []string{`CREATE TABLESPACE "gp3" LOCATION '/mnt/gp3/tablespace';`, `ALTER TABLE "public"."old_articles" SET TABLESPACE "gp3";`}
	if !slices.Equal(statements, want) {
		t.Errorf("got %q, want %q", statements, want)
	}
	if want := []string{`ALTER TABLE "public"."old_articles" SET TABLESPACE "pg_default";`, `DROP TABLESPACE "gp3";`}; !slices.Equal(plan.Undo, want) {
		t.Errorf("undo: got %q, want %q", plan.Undo, want)
	}
}

// TestPublishedBefore checks that everything on one gp3 volume, as the article begins, exceeds the
// volume's IOPS: 20,899 operations against 3,000, of which 80% are allowed.
func TestPublishedBefore(t *testing.T) {
	layout := map[string]string{}
	for _, o := range platform() {
		layout[o.Name] = "gp3"
	}
	plan, err := planOf(Workload{Objects: platform()}, platformStores(t), Goal{Objective: LeastTime}, nil, layout)
	must(t, err)
	if len(plan.Violations) != 2 || plan.Violations[0].What != "IOPS" || plan.Violations[1].What != "the throughput" {
		t.Fatalf("violations %v", plan.Violations)
	}
	if got, want := plan.Violations[0].Used, 20899.0/3000/0.8; got < want*0.999 || got > want*1.001 {
		t.Errorf("IOPS are %v of what is allowed, want %v", got, want)
	}
}

// planOf returns the plan of a layout that was not looked for: the store of each object, by the
// object's name.
func planOf(w Workload, stores []Store, goal Goal, price Price, layout map[string]string) (Plan, error) {
	if err := checkStores(stores); err != nil {
		return Plan{}, err
	}
	p := newProblem(w.Objects, stores, goal, price)
	places := make([]int, len(w.Objects))
	for i, o := range w.Objects {
		places[i] = slices.IndexFunc(stores, func(s Store) bool { return s.Name == layout[o.Name] })
		if places[i] < 0 {
			return Plan{}, fmt.Errorf("%s has no store in the layout", o.Name)
		}
	}
	s := p.of(places)
	return p.plan(found{layout: places, score: s.score(), method: "given", tried: 1, bound: s.score()}, w), nil
}
