package serve

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"plinth/internal/hint"
	"plinth/internal/record"
	"plinth/internal/record/index"
)

func entries() []index.Entry {
	at := func(day int) time.Time { return time.Date(2026, 11, day, 12, 0, 0, 0, time.UTC) }
	better, equal := []record.Outcome{record.Better}, []record.Outcome{record.Equivalent, record.Worse}
	return []index.Entry{ // newest first
		{Name: "wal-3", Heading: record.Heading{Question: "Does a WAL disk help?", Engine: "postgres", State: record.Running, Created: at(20)}},
		{Name: "wal-2", Heading: record.Heading{Question: "Does a WAL disk help?", Engine: "postgres", State: record.Complete, Created: at(19)}, Words: better},
		{Name: "cache", Heading: record.Heading{Question: "Is Redis' AOF dear?", Engine: "redis", State: record.Complete, Created: at(10)}, Words: equal},
		{Name: "broken", Heading: record.Heading{Created: at(9)}, Damage: "record.json: unexpected end"},
		{Name: "wal-1", Heading: record.Heading{Question: "Does a WAL disk help?", Engine: "postgres", State: record.Interrupted, Created: at(1)}},
	}
}

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		query    string
		matching int
		names    string
	}{
		{"", 5, "wal-3 wal-2 cache broken wal-1"},
		{"q=wal", 3, "wal-3 wal-2 wal-1"},
		{"q=+HELP++wal+", 3, "wal-3 wal-2 wal-1"},
		{"q=wal+redis", 0, ""},
		{"q=wal-2", 1, "wal-2"},
		{"q=unexpected", 0, ""},
		{"engine=redis", 1, "cache"},
		{"engine=none", 0, ""},
		{"state=running", 1, "wal-3"},
		{"verdict=worse", 1, "cache"},
		{"verdict=better&state=complete&q=wal", 1, "wal-2"},
		{"since=2026-11-10", 3, "wal-3 wal-2 cache"},
		{"until=2026-11-10", 3, "cache broken wal-1"},
		{"since=2026-11-10&until=2026-11-10", 1, "cache"},
		{"since=2026-11-11&until=2026-11-10", 0, ""},
		{"limit=2", 5, "wal-3 wal-2"},
		{"limit=2&offset=4", 5, "wal-1"},
		{"offset=9", 5, ""},
		{"q=wal&offset=1&limit=1", 3, "wal-2"},
		{"unknown=1&q=", 5, "wal-3 wal-2 cache broken wal-1"},
	} {
		values, err := url.ParseQuery(c.query)
		if err != nil {
			t.Fatal(err)
		}
		q, err := parseQuery(values, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		got := choose(entries(), q)
		var names []string
		for _, e := range got.Records {
			names = append(names, e.Name)
		}
		if strings.Join(names, " ") != c.names || got.Matching != c.matching || got.Total != 5 || !slices.Equal(got.Engines, []string{"postgres", "redis"}) {
			t.Errorf("%s: %v, %d matching of %d, engines %v", c.query, names, got.Matching, got.Total, got.Engines)
		}
	}
}

func TestQueryMistakes(t *testing.T) {
	for query, want := range map[string]string{
		"state=walking":    `state: unknown value "walking"`,
		"verdict=best":     `verdict: unknown value "best"`,
		"since=yesterday":  `since: "yesterday" is not a day`,
		"until=2026-02-30": `until: "2026-02-30" is not a day`,
		"limit=0":          `limit: "0" is out of range or not a number`,
		"limit=1001":       `limit: "1001" is out of range or not a number`,
		"offset=-1":        `offset: "-1" is out of range or not a number`,
		"offset=1e3":       `offset: "1e3" is out of range or not a number`,
	} {
		values, _ := url.ParseQuery(query)
		if _, err := parseQuery(values, time.UTC); err == nil || err.Error() != want || hint.Of(err) == "" {
			t.Errorf("%s: %v, hint %q; want %s", query, err, hint.Of(err), want)
		}
	}
}

// FuzzQuery: what is read is written again as it was meant, and nothing makes the
// list fail.
func FuzzQuery(f *testing.F) {
	for _, seed := range []string{"", "q=wal&state=running", "since=2026-01-01&until=2026-12-31", "offset=5&limit=10", "q=%ff%00", "verdict=better&engine=x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		values, _ := url.ParseQuery(text)
		q, err := parseQuery(values, time.UTC)
		if err != nil {
			return
		}
		again, err := parseQuery(q.values(q.offset), time.UTC)
		if err != nil || q.text != again.text || q.since != again.since || q.until != again.until || q.offset != again.offset || q.limit != again.limit {
			t.Errorf("%q: %+v, then %+v, %v", text, q, again, err)
		}
		got := choose(entries(), q)
		if len(got.Records) > q.limit || got.Matching > got.Total || len(got.Records) > got.Matching {
			t.Errorf("%q: %+v", text, got)
		}
	})
}
