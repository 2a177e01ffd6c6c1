package evidence

import (
	"math"
	"strings"
	"testing"
)

// TestTable checks that each group has an effect for each condition, and how effects are shown.
func TestTable(t *testing.T) {
	all, err := Read("oltp")
	if err != nil {
		t.Fatal(err)
	}
	if len(all.Conditions) < 2 || len(all.Groups) < 10 {
		t.Fatalf("%d conditions, %d groups", len(all.Conditions), len(all.Groups))
	}
	for _, g := range all.Groups {
		if len(g.TPS) != len(all.Conditions) || len(g.P99) != len(all.Conditions) {
			t.Errorf("%s: %d and %d effects of %d conditions", g.Name, len(g.TPS), len(g.P99), len(all.Conditions))
		}
	}
	if lines := strings.Count(all.Markdown(func(g Group) []Effect { return g.TPS }), "\n"); lines != len(all.Groups)+2 {
		t.Errorf("%d lines", lines)
	}
	for want, e := range map[string]Effect{"**+11 (5 to 16)**": {0.1, 0.05}, "-10 (-22 to 5)": {-0.1, 0.15}, "**-10 (-18 to 0)**": {-0.1, 0.0999}} {
		if e.String() != want {
			t.Errorf("%v is shown as %s, want %s", e, e, want)
		}
	}
	if got := all.Effect("no such group"); got != "not measured" {
		t.Error(got)
	}
	if g := all.Groups[0]; all.Effect(g.Name) != Mean(g.TPS).String() {
		t.Errorf("%s: %s", g.Name, all.Effect(g.Name))
	}
	if m := Mean([]Effect{{0.1, 0.03}, {0.3, 0.04}}); math.Abs(m.Value-0.2) > 1e-9 || math.Abs(m.Half-0.025) > 1e-9 {
		t.Errorf("%+v", m)
	}
}

// TestKeep: conditions that were not measured again stay, and those that were are replaced.
func TestKeep(t *testing.T) {
	one := func(name string, value float64) Table {
		return Table{Conditions: []Condition{{Name: name}}, Groups: []Group{{Name: "g", TPS: []Effect{{value, 1}}, P99: []Effect{{-value, 1}}}}}
	}
	older := one("b", 0.2)
	if err := older.Keep(one("a", 0.1)); err != nil {
		t.Fatal(err)
	}
	again := one("b", 0.3)
	if err := again.Keep(older); err != nil {
		t.Fatal(err)
	}
	want := "| group | a | b | mean |\n|---|---:|---:|---:|\n| g | +11 (-59 to 200) | +35 (-50 to 267) | +22 (-40 to 148) |\n"
	if got := again.Markdown(func(g Group) []Effect { return g.TPS }); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	var none Table
	if err := none.Keep(older); err != nil || len(none.Conditions) != 2 {
		t.Errorf("%v, %+v", err, none)
	}
	other := one("c", 1)
	other.Groups[0].Name = "h"
	if err := other.Keep(older); err == nil {
		t.Error("tables of different groups are joined")
	}
}
