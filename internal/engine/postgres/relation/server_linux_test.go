package relation_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"plinth/internal/conninfo"
	"plinth/internal/engine/postgres/client"
	"plinth/internal/engine/postgres/install"
	"plinth/internal/engine/postgres/relation"
	"plinth/internal/engine/postgres/relation/relationtest"
	"plinth/internal/host/launch"
)

func TestMain(m *testing.M) {
	launch.GuardMain()
	os.Exit(m.Run())
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// difficult makes reading the statistics difficult: names that need quotes, toast, partitions of
// partitions, an unlogged table.
var difficult = []string{
	`CREATE SCHEMA "odd ""schema"`,
	`CREATE TABLE "odd ""schema"."Tab'le;" (id int, page text)`,
	`ALTER TABLE "odd ""schema"."Tab'le;" ALTER page SET STORAGE EXTERNAL`,
	`INSERT INTO "odd ""schema"."Tab'le;" SELECT i, repeat('x', 20000) FROM generate_series(1, 20) i`,
	`CREATE TABLE logs (id int, n int) PARTITION BY RANGE (id)`,
	`CREATE TABLE logs_1 PARTITION OF logs FOR VALUES FROM (0) TO (100)`,
	`CREATE TABLE logs_2 PARTITION OF logs FOR VALUES FROM (100) TO (200) PARTITION BY RANGE (n)`,
	`CREATE TABLE logs_2a PARTITION OF logs_2 FOR VALUES FROM (0) TO (100)`,
	`CREATE INDEX ON logs (id)`,
	`CREATE UNLOGGED TABLE scratch (n int)`,
	`VACUUM ANALYZE`,
}

func TestEveryVersion(t *testing.T) {
	t.Parallel()
	for _, p := range relationtest.Programs(t) {
		t.Run(fmt.Sprint(p.Version), func(t *testing.T) {
			t.Parallel()
			testVersion(t, p)
		})
	}
}

func testVersion(t *testing.T, p install.Programs) {
	s := relationtest.Start(t, p)
	s.Exec(t, append(slices.Clone(relationtest.Platform), difficult...)...)
	cold := s.Dir(t)
	s.Exec(t, `CREATE TABLESPACE "cold data" LOCATION '`+cold+`'`, `ALTER TABLE old_articles SET TABLESPACE "cold data"`, `ALTER TABLE logs SET TABLESPACE "cold data"`)
	a := s.Reading(t)
	testShape(t, a, p.Version, cold)

	load := []string{
		`DO $$ DECLARE x text; BEGIN FOR i IN 1..200 LOOP SELECT title INTO x FROM articles WHERE id = i * 100; END LOOP; END $$`,
		`INSERT INTO analytics_events SELECT now(), i, 1, 'x' FROM generate_series(1, 1000) i`,
		`UPDATE subscriptions SET reader = 'x' WHERE id = 1`,
		`DELETE FROM analytics_daily WHERE article <= 50`,
		`SELECT sum(length(body)) FROM old_articles`,
		`SELECT sum(length(page)) FROM "odd ""schema"."Tab'le;"`,
		`INSERT INTO logs VALUES (1, 1), (150, 1), (151, 1)`,
		`CHECKPOINT`,
	}
	s.Exec(t, append([]string{`SET enable_seqscan = on`, `SET max_parallel_workers_per_gather = 0`}, load...)...)
	b := s.Reading(t)
	testRates(t, a, b)

	s.Exec(t, `SELECT pg_stat_reset()`)
	c := s.Reading(t)
	if _, err := relation.Between(b, c); !errors.Is(err, relation.ErrReset) {
		t.Errorf("a reset between two readings: %v", err)
	}
}

func find(t *testing.T, l relation.Reading, name string) relation.Relation {
	t.Helper()
	for _, r := range l.Relations {
		if r.Name.Name == name {
			return r
		}
	}
	t.Fatalf("%s is not in the reading", name)
	return relation.Relation{}
}

// testShape checks what does not change: names, kinds, sizes, tablespaces.
func testShape(t *testing.T, l relation.Reading, version int, cold string) {
	t.Helper()
	if l.Server.VersionN/10000 != version || !l.Server.AllStats || l.Server.System == "" || l.Database.Name != "postgres" || l.Database.Tablespace != "pg_default" {
		t.Errorf("server %+v, database %+v", l.Server, l.Database)
	}
	if l.Since.IsZero() || l.Since.After(l.Taken) || l.Database.Size < 1<<20 || l.Database.Commits == 0 || l.WAL.Bytes == 0 || l.WAL.Most < 32<<20 || l.Writes.Timeout != 300 {
		t.Errorf("%+v", l)
	}
	if known := version >= 14; (l.WAL.Syncs >= 0) != known || (l.WAL.Writes >= 0) != known || l.WAL.Since.IsZero() == known {
		t.Errorf("WAL: %+v", l.WAL)
	}
	events, articles, old := find(t, l, "analytics_events"), find(t, l, "articles"), find(t, l, "old_articles")
	if ratio := float64(events.Size) / float64(articles.Size); ratio < 3 || ratio > 6 {
		t.Errorf("analytics_events is %.1f times articles, published are 4", ratio)
	}
	if events.Kind != relation.Table || events.Rows != 136500 || old.Tablespace != "cold data" || articles.Tablespace != "pg_default" {
		t.Errorf("analytics_events %+v, old_articles %+v", events, old)
	}
	if !find(t, l, "scratch").Unlogged || articles.Unlogged {
		t.Error("unlogged tables are not found")
	}
	var found bool
	for _, s := range l.Tablespaces {
		found = found || s.Name == "cold data" && s.Location == cold
	}
	if !found {
		t.Errorf("tablespaces %v", l.Tablespaces)
	}
	if x := find(t, l, "articles_pkey"); x.Kind != relation.Index || x.Of == nil || x.Of.String() != "public.articles" || x.Inserted != articles.Inserted {
		t.Errorf("articles_pkey %+v", x)
	}
	odd := find(t, l, "Tab'le;")
	if want := `"odd ""schema"."Tab'le;"`; odd.SQL() != want || odd.Toast < 20*20000 || odd.Size < odd.Toast {
		t.Errorf("%s is %s with toast of %d bytes", want, odd.SQL(), odd.Toast)
	}
	leaf, index := find(t, l, "logs_2a"), find(t, l, "logs_2a_id_idx")
	if leaf.Kind != relation.Partition || leaf.Parent.Name != "logs_2" || leaf.Root.Name != "logs" || leaf.Future != "cold data" || articles.Future != "" || index.Root.Name != "logs" || index.Parent != nil {
		t.Errorf("logs_2a %+v, its index %+v", leaf, index)
	}
	for _, r := range l.Relations {
		if r.Name.Name == "logs" || r.Name.Name == "logs_2" || r.Schema == "pg_catalog" || strings.HasPrefix(r.Schema, "pg_toast") {
			t.Errorf("%s is listed", r.Name)
		}
	}
}

// testRates checks that the load between two readings is found, to the row where the server counts
// rows.
func testRates(t *testing.T, a, b relation.Reading) {
	t.Helper()
	rates, err := relation.Between(a, b)
	must(t, err)
	seconds := rates.Length().Seconds()
	count := func(rate float64) int { return int(math.Round(rate * seconds)) }
	got := map[string]relation.RelationRate{}
	for _, r := range rates.Relations {
		got[r.Name.Name] = r
	}
	for what, is := range map[string][2]int{
		"lookups":              {count(got["articles_pkey"].IndexScans), 200},
		"lookups by table":     {count(got["articles"].IndexScans), 200},
		"inserts":              {count(got["analytics_events"].Inserted), 1000},
		"inserts of an index":  {count(got["analytics_events_ts"].Inserted), 1000},
		"updates":              {count(got["subscriptions"].Updated), 1},
		"deletes":              {count(got["analytics_daily"].Deleted), 50},
		"scans":                {count(got["old_articles"].SeqScans), 1},
		"inserts of partition": {count(got["logs_2a"].Inserted), 2},
	} {
		if is[0] != is[1] {
			t.Errorf("%s: got %d, want %d", what, is[0], is[1])
		}
	}
	// A scan of old_articles, which has more blocks than shared_buffers could keep.
	old := got["old_articles"]
	if blocks := int(old.Size / 8192); count(old.Requests) < blocks-10 || count(old.Misses) < blocks/2 || old.Misses > old.Requests {
		t.Errorf("a scan of %d blocks: %d requests, %d misses", blocks, count(old.Requests), count(old.Misses))
	}
	if toast := got["Tab'le;"]; count(toast.Requests) < int(toast.Toast/8192/2) {
		t.Errorf("%d requests of a toast table of %d bytes", count(toast.Requests), toast.Toast)
	}
	if rates.Commits <= 0 || rates.WALBytes <= 0 || rates.Blocks <= 0 || rates.Checkpoint.Seconds() > 300 || rates.SinceOnly {
		t.Errorf("%+v", rates.ServerRates)
	}
	if v := b.Server.VersionN; (find(t, b, "old_articles").LastSeqScan != nil) != (v >= 160000) || (find(t, b, "articles_pkey").LastIndexScan != nil) != (v >= 160000) {
		t.Errorf("last scans: %v", find(t, b, "old_articles").LastSeqScan)
	}
	text, err := b.Encode()
	must(t, err)
	if _, err := relation.Decode(text); err != nil {
		t.Error(err)
	}
	one, err := relation.SinceReset(b)
	must(t, err)
	if !one.SinceOnly || one.Commits <= 0 || len(one.Relations) != len(b.Relations) {
		t.Errorf("since a reset: %+v", one.ServerRates)
	}
}

// TestHardServer checks a role without privileges, a table under an exclusive lock, and more
// partitions than are kept.
func TestHardServer(t *testing.T) {
	t.Parallel()
	s := relationtest.Start(t, relationtest.Programs(t)[0])
	s.Exec(t, `CREATE TABLE many (n int) PARTITION BY LIST (n)`,
		`DO $$ BEGIN FOR i IN 1..500 LOOP EXECUTE format('CREATE TABLE many_%s PARTITION OF many FOR VALUES IN (%s)', i, i); END LOOP; END $$`,
		`INSERT INTO many SELECT i FROM generate_series(1, 500) i`, `INSERT INTO many SELECT 7 FROM generate_series(1, 100)`,
		`CREATE TABLE locked AS SELECT generate_series(1, 10000) AS n`, `VACUUM ANALYZE locked`,
		`CREATE ROLE reader LOGIN`, `REVOKE ALL ON SCHEMA public FROM PUBLIC`,
		`REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC`)
	s.Reading(t)
	locker := s.Connect(t)
	defer client.Leave(locker)
	_, err := locker.Exec(t.Context(), "BEGIN; LOCK TABLE locked IN ACCESS EXCLUSIVE MODE")
	must(t, err)

	l, err := relation.Read(t.Context(), conninfo.Conninfo(strings.Replace(string(s.Conninfo), "user=plinth", "user=reader", 1)), relation.Options{Most: 4})
	must(t, err)
	if l.Server.AllStats || l.Server.System != "" {
		t.Errorf("a role without privileges: %+v", l.Server)
	}
	if r := find(t, l, "locked"); !r.Estimated || r.Size < 300000 {
		t.Errorf("under a lock: %+v", r)
	}
	find(t, l, "many_7")
	if len(l.Relations) > 4 {
		t.Errorf("%d relations are kept, not 4", len(l.Relations))
	}
	for _, g := range l.Groups {
		if g.Name.Name == "many" && !g.Indexes && (g.Members != 500 || g.Inserted != 600 || g.Tablespace != "pg_default" || g.Kept < 1) {
			t.Errorf("the partitions: %+v", g)
		}
	}
}
