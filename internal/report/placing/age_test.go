package placing

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"plinth/internal/engine/postgres/relation"
	"plinth/internal/placement"
	"plinth/internal/unit"
)

// TestAges checks the tables of ages, and the run that the statistics are of.
func TestAges(t *testing.T) {
	p := placed(t, placement.Goal{Objective: placement.LeastTime})
	used := p.To.Add(-40 * 24 * time.Hour)
	busy := relation.Name{Schema: "public", Name: "busy"}
	older := []placement.Older{{Than: "1 month", Share: 0.9, Rows: 9e7, Size: 9 * unit.GiB}, {Than: "1 year", Share: 0.6, Rows: 6e7, Size: 6 * unit.GiB}}
	p.Of = "run one/x/c1-j1/r01 of record y"
	p.Ages = []placement.Aged{
		{Table: busy, Column: "at", Older: older, LastUse: &used, Old: &older[1], Saving: &placement.Saving{Store: "cold", USD: 12.5}, Notes: []string{"an estimate"}},
		{Table: busy, Column: "day", Older: older, Notes: []string{"another"}, Parts: []placement.AgedPart{
			{Name: relation.Name{Schema: "public", Name: "p1 \x1b[31m"}, Bound: "FOR VALUES FROM (1) TO (2)", Size: unit.GiB, Shares: []float64{1, 0.001}, Temperature: placement.Cold, LastUse: &used},
			{Name: relation.Name{Schema: "public", Name: "p2"}, Size: unit.GiB},
		}},
	}
	var b bytes.Buffer
	if err := Write(&b, p, "text", 100); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{
		"Statistics of run one/x/c1-j1/r01 of record y.\n", "Age of rows: busy by at\n=", "\n1 year ", "60,000,000", "60 %", "6GiB",
		"It was last scanned 40 days before the statistics were read.", "60 % of the rows are older than 1 year. Partitioned by at,", "$12.50 a month", "- an estimate\n",
		"Age of rows: busy by day", "FROM (1) TO (2)", "100 %", "under 1 %", "40 days", "\np2 ",
	} {
		if !strings.Contains(text, want) && !strings.Contains(strings.Join(strings.Fields(text), " "), want) { // it may be wrapped
			t.Errorf("%q is not in it", want)
		}
	}
	if strings.Contains(text, "\x1b") || strings.Contains(text, "FOR VALUES") {
		t.Error("a name controls the terminal, or a bound is too long")
	}
	if t.Failed() {
		t.Log(text)
	}
}
