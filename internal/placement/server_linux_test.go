package placement_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"plinth/internal/device"
	"plinth/internal/engine/postgres/client"
	"plinth/internal/engine/postgres/relation"
	"plinth/internal/engine/postgres/relation/relationtest"
	"plinth/internal/host/launch"
	"plinth/internal/placement"
	"plinth/internal/unit"
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

// published is one second of the load of "Storage Selection for Database Workloads" on its content
// platform: reads and writes of each table and index. Tables without an index are read by the
// position of a row, which takes one block.
const published = `DO $$ DECLARE x text; BEGIN
	FOR i IN 1..4200 LOOP SELECT title INTO x FROM articles WHERE id = (i * 7919) % 27500 + 1; END LOOP;
	FOR i IN 1..3100 LOOP SELECT count(*) INTO x FROM articles WHERE category = i % 1000 AND published > 'infinity'; END LOOP;
	FOR i IN 1..120 LOOP UPDATE articles SET body = body WHERE ctid = ('(' || i || ',1)')::tid; END LOOP;
	FOR i IN 1..4200 LOOP INSERT INTO analytics_events VALUES (now(), i, i % 5, repeat(md5(i::text), 4)); END LOOP;
	FOR i IN 1..20 LOOP SELECT kind INTO x FROM analytics_events WHERE ts = timestamptz '2026-05-01' - i * interval '7 seconds'; END LOOP;
	FOR i IN 1..800 LOOP SELECT views INTO x FROM analytics_daily WHERE ctid = ('(' || i % 25 || ',1)')::tid; END LOOP;
	FOR i IN 1..24 LOOP UPDATE analytics_daily SET views = 1 WHERE ctid = ('(' || i || ',2)')::tid; END LOOP;
	FOR i IN 1..10 LOOP SELECT reader INTO x FROM subscriptions WHERE ctid = '(0,1)'; END LOOP;
	FOR i IN 1..2 LOOP UPDATE subscriptions SET reader = 'x' WHERE ctid = ('(1,' || i || ')')::tid; END LOOP;
	FOR i IN 1..3 LOOP SELECT body INTO x FROM old_articles WHERE ctid = ('(' || i || ',1)')::tid; END LOOP;
END $$`

// TestLiveServer checks, on each version of PostgreSQL, that the content platform has the published
// temperatures, that its layout is found, that the statements lead to it, and that their undo leads
// back.
func TestLiveServer(t *testing.T) {
	t.Parallel()
	for _, p := range relationtest.Programs(t) {
		t.Run(fmt.Sprint(p.Version), func(t *testing.T) {
			t.Parallel()
			s := relationtest.Start(t, p)
			s.Exec(t, relationtest.Platform...)
			s.Exec(t, `CREATE TABLE "o'dd ""x" (n int) PARTITION BY RANGE (n)`,
				`CREATE TABLE "o'dd 1" PARTITION OF "o'dd ""x" FOR VALUES FROM (0) TO (1000000)`,
				`INSERT INTO "o'dd ""x" SELECT generate_series(1, 60000)`, `VACUUM ANALYZE`)
			a := s.Reading(t)
			s.Exec(t, published, `CHECKPOINT`)
			b := s.Reading(t)
			rates, err := relation.Between(a, b)
			must(t, err)
			w := placement.FromRates(rates)
			testTemperatures(t, w)
			testLayout(t, s, w, b)
		})
	}
}

func testTemperatures(t *testing.T, w placement.Workload) {
	t.Helper()
	want := map[string]placement.Temperature{
		"articles": placement.Hot, "articles_pkey": placement.Hot, "articles_cat_pub": placement.Hot,
		"analytics_events": placement.WriteHot, "analytics_events_ts": placement.WriteHot, "analytics_daily": placement.Warm,
		"subscriptions": placement.Cold, "old_articles": placement.Cold, "o'dd 1": placement.Cold,
	}
	found := 0
	likely, counted := 0.0, w.Writes.Counted
	for _, o := range w.Objects {
		if temperature, is := want[o.Relation.Name]; is {
			found++
			if o.Temperature != temperature {
				t.Errorf("%s is %s, published is %s: %q; %+v", o.Name, o.Temperature, temperature, o.Why, o)
			}
			if o.AppendOnly != strings.HasPrefix(o.Relation.Name, "analytics_events") {
				t.Errorf("%s: append-only is %v", o.Name, o.AppendOnly)
			}
		}
		if o.Kind != placement.WAL && o.Kind != placement.Temp {
			likely += o.Writes.Likely
		}
		if o.Kind == placement.WAL && o.Durable.Likely <= 0 {
			t.Errorf("the WAL has no durable writes: %+v", o)
		}
	}
	if found != len(want) {
		t.Errorf("%d of %d objects are there", found, len(want))
	}
	if counted <= 0 || likely > counted*1.001 {
		t.Errorf("writes add up to %v, the server counted %v", likely, counted)
	}
}

// testLayout takes the layout that is best if a tenth of the data has no room on the fast disk, of
// which 80% may be used.
func testLayout(t *testing.T, s relationtest.Server, w placement.Workload, before relation.Reading) {
	t.Helper()
	total := unit.Size(0)
	for _, o := range w.Objects {
		total += o.Size
	}
	fast, err := device.Find("local-nvme")
	must(t, err)
	slow, err := device.Find("io2-block-express")
	must(t, err)
	stores := []placement.Store{
		{Name: "fast", Device: fast.Device, Capacity: total * 113 / 100, Tablespaces: []string{"pg_default"}, WAL: true},
		{Name: "it's cold", Device: slow.Device, Location: s.Dir(t), Refuses: []string{placement.WAL}},
	}
	plan, err := placement.Find(w, stores, placement.Goal{Objective: placement.LeastTime}, nil)
	must(t, err)
	if len(plan.Violations) > 0 || len(plan.Steps) < 2 || plan.Before == nil || plan.After.DeviceTime < plan.Before.DeviceTime {
		t.Fatalf("violations %v, steps %+v", plan.Violations, plan.Steps)
	}
	want := map[string]string{}
	for _, o := range plan.Objects {
		if o.Moves() {
			want[o.Relation.Name] = "it's cold"
		}
	}
	if want["old_articles"] == "" || want["articles"] != "" || want["analytics_events"] != "" {
		t.Errorf("moved: %v", want)
	}
	conn := s.Connect(t)
	defer client.Leave(conn)
	run := func(sql string) {
		for one := range strings.SplitSeq(sql, "; ") {
			if _, err := conn.Exec(t.Context(), one); err != nil {
				t.Errorf("%s: %v", one, err)
			}
		}
	}
	for _, step := range plan.Steps {
		run(step.SQL)
	}
	after := s.Reading(t)
	for _, r := range after.Relations {
		space := want[r.Name.Name]
		if space == "" {
			space = "pg_default"
		}
		if r.Tablespace != space {
			t.Errorf("%s is in %s, not in %s", r.Name, r.Tablespace, space)
		}
	}
	for _, sql := range plan.Undo {
		run(sql)
	}
	restored := s.Reading(t)
	if len(restored.Relations) != len(before.Relations) {
		t.Fatalf("%d relations became %d", len(before.Relations), len(restored.Relations))
	}
	for i, r := range restored.Relations {
		if was := before.Relations[i]; r.Tablespace != was.Tablespace || r.Future != was.Future {
			t.Errorf("after the undo, %s is in %s, its new partitions in %q", r.Name, r.Tablespace, r.Future)
		}
	}
	if len(restored.Tablespaces) != 2 {
		t.Errorf("after the undo, there are tablespaces %v", restored.Tablespaces)
	}
	for _, step := range plan.Steps[1:] {
		if step.SQL != "" && step.Size > 0 && (step.Time <= 0 || step.Time > time.Hour || step.Lock == "") {
			t.Errorf("%+v", step)
		}
	}
}
