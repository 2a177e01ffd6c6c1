package relation_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"plinth/internal/conninfo"
	"plinth/internal/engine/postgres/client"
	"plinth/internal/engine/postgres/install"
	"plinth/internal/engine/postgres/relation"
	"plinth/internal/engine/postgres/relation/relationtest"
	"plinth/internal/hint"
)

// aging is a table of 1,000 days, ten rows a day, with a date of which each fifth value is null; a partitioned one;
// and one that was never analyzed.
var aging = []string{
	`CREATE TABLE events AS SELECT now() - i * interval '2.4 hours' AS at, (now() - i * interval '2.4 hours')::timestamp AS local,
		CASE WHEN i % 5 <> 0 THEN current_date - (i / 1000) * 100 END AS day, i AS id, 'x'::text AS word, i::smallint AS small
		FROM generate_series(1, 10000) i`,
	`INSERT INTO events VALUES ('-infinity')`,
	`CREATE TABLE logs (at date, n int) PARTITION BY RANGE (at)`,
	`CREATE TABLE logs_old PARTITION OF logs FOR VALUES FROM ('2020-01-01') TO ('2021-01-01')`,
	`CREATE TABLE logs_new PARTITION OF logs FOR VALUES FROM ('2021-01-01') TO ('2099-01-01') PARTITION BY RANGE (n)`,
	`CREATE TABLE logs_new_1 PARTITION OF logs_new DEFAULT`,
	`INSERT INTO logs SELECT date '2020-01-01' + i % 366, i FROM generate_series(0, 3659) i`,
	`INSERT INTO logs SELECT current_date, i FROM generate_series(1, 100) i`,
	`CREATE SCHEMA other`, `CREATE TABLE other.twice (at date)`, `CREATE TABLE twice (at date)`,
	`ANALYZE`,
	`CREATE TABLE fresh AS SELECT now() AS at`,
	`CREATE ROLE reader LOGIN`,
}

func TestAges(t *testing.T) {
	t.Parallel()
	for _, p := range relationtest.Programs(t) {
		t.Run(fmt.Sprint(p.Version), func(t *testing.T) {
			t.Parallel()
			testAges(t, p)
		})
	}
}

func testAges(t *testing.T, p install.Programs) {
	s := relationtest.Start(t, p)
	s.Exec(t, aging...)
	ages := func(columns ...relation.Column) []relation.Age {
		l, err := relation.Read(t.Context(), s.Conninfo, relation.Options{Ages: columns})
		must(t, err)
		text, err := l.Encode()
		must(t, err)
		l, err = relation.Decode(text)
		must(t, err)
		return l.Ages
	}
	const year = 365 * 24 * 3600.0
	for column, want := range map[string]float64{"at": 0.635, "local": 0.635, "day": 0.8 * 0.6} {
		a := ages(relation.Column{Table: "events", Column: column})[0]
		if got := a.Parts[0].Below(a.Now - year); a.Partitioned || a.Numbers || len(a.Parts) != 1 || a.Parts[0].Rows != 10001 || math.Abs(got-want) > 0.02 {
			t.Errorf("%s: %v of the rows are older than a year, want %v; %+v", column, got, want, a)
		}
	}
	id := ages(relation.Column{Schema: "public", Table: "events", Column: "id"})[0]
	if got := id.Parts[0].Below(2500); !id.Numbers || math.Abs(got-0.25) > 0.01 {
		t.Errorf("%v of the numbers are below 2500: %+v", got, id)
	}
	logs := ages(relation.Column{Table: "logs", Column: "at"})[0]
	if len(logs.Parts) != 2 || !logs.Partitioned || logs.Left != 0 {
		t.Fatalf("%+v", logs)
	}
	young, old := logs.Parts[0], logs.Parts[1]
	if old.Name.Name != "logs_old" || old.Bound != "FOR VALUES FROM ('2020-01-01') TO ('2021-01-01')" || old.Below(logs.Now-year) != 1 {
		t.Errorf("%+v", old)
	}
	if young.Name.Name != "logs_new_1" || young.Bound != "DEFAULT" || young.Below(logs.Now-year) != 0 || young.Rows != 100 {
		t.Errorf("%+v", young)
	}
	if fresh := ages(relation.Column{Table: "fresh", Column: "at"})[0].Parts[0]; fresh.Known || fresh.Size == 0 {
		t.Errorf("a table that was never analyzed: %+v", fresh)
	}
	testHardAges(t, s)
}

// testHardAges checks what cannot be read, and a partition under an exclusive lock.
func testHardAges(t *testing.T, s relationtest.Server) {
	read := func(user string, c relation.Column) (relation.Reading, error) {
		server := conninfo.Conninfo(strings.Replace(string(s.Conninfo), "user=plinth", "user="+user, 1))
		return relation.Read(t.Context(), server, relation.Options{Ages: []relation.Column{c}})
	}
	for want, c := range map[string]relation.Column{
		`there is no table of "nothing"."at"`: {Table: "nothing", Column: "at"},
		"in several schemas: other, public":   {Table: "twice", Column: "at"},
		"the table has no such column":        {Table: "events", Column: "nothing"},
		"has the type text, which has no age": {Table: "events", Column: "word"},
	} {
		if _, err := read("plinth", c); err == nil || !strings.Contains(err.Error(), want) || hint.Of(err) == "" {
			t.Errorf("%+v: %v, hint %q", c, err, hint.Of(err))
		}
	}
	if _, err := read("reader", relation.Column{Table: "events", Column: "at"}); err == nil || !strings.Contains(err.Error(), "may not see the statistics") {
		t.Errorf("a role without privileges: %v", err)
	}
	locker := s.Connect(t)
	defer client.Leave(locker)
	_, err := locker.Exec(t.Context(), "BEGIN; LOCK TABLE logs_old IN ACCESS EXCLUSIVE MODE")
	must(t, err)
	l, err := read("plinth", relation.Column{Table: "logs", Column: "at"})
	must(t, err)
	if old := l.Ages[0].Parts[1]; old.Bound != "" || old.Size < 8192 || !old.Known {
		t.Errorf("under a lock: %+v", old)
	}
}
