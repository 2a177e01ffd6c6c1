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
		if len(g.TPS) == 0 || len(g.P99) != len(g.TPS) {
			t.Errorf("%s: %d and %d effects", g.Name, len(g.TPS), len(g.P99))
		}
		for condition := range g.TPS {
			if !all.Has(condition) {
				t.Errorf("%s: there is no condition %s", g.Name, condition)
			}
		}
	}
	if lines := strings.Count(all.Markdown(func(g Group) map[string]Effect { return g.TPS }), "\n"); lines != len(all.Groups)+2 {
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
	if m := Mean(map[string]Effect{"a": {0.1, 0.03}, "b": {0.3, 0.04}}); math.Abs(m.Value-0.2) > 1e-9 || math.Abs(m.Half-0.025) > 1e-9 {
		t.Errorf("%+v", m)
	}
}

// TestAdd: conditions that were not measured again stay, and those that were are replaced. A condition may lack a group.
func TestAdd(t *testing.T) {
	one := func(group, condition string, value float64) Table {
		return Table{Conditions: []Condition{{Name: condition}}, Groups: []Group{{group, map[string]Effect{condition: {value, 1}}, map[string]Effect{condition: {-value, 1}}}}}
	}
	older := one("g", "b", 0.2)
	older.Add(one("g", "a", 0.1))
	older.Add(one("h", "c", 0.4))
	again := one("g", "b", 0.3)
	again.Add(older)
	want := `| group | a | b | c | mean |
|---|---:|---:|---:|---:|
| g | +11 (-59 to 200) | +35 (-50 to 267) | | +22 (-40 to 148) |
| h | | | +49 (-45 to 306) | +49 (-45 to 306) |
`
	if got := again.Markdown(func(g Group) map[string]Effect { return g.TPS }); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	var none Table
	if none.Add(again); len(none.Conditions) != 3 || len(none.Groups) != 2 {
		t.Errorf("%+v", none)
	}
}
