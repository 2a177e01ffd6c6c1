package relation

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plinth/internal/hint"
)

// TestBelowByHand: fractions of rows below a value.
func TestBelowByHand(t *testing.T) {
	tens := []float64{0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100}
	for name, test := range map[string]struct {
		part  AgePart
		limit float64
		want  float64
	}{
		"between two bounds":   {AgePart{Bounds: tens}, 25, 0.25},
		"at a bound":           {AgePart{Bounds: tens}, 20, 0.2},
		"before all":           {AgePart{Bounds: tens}, -1, 0},
		"at the first":         {AgePart{Bounds: tens}, 0, 0},
		"after all":            {AgePart{Bounds: tens}, 101, 1},
		"equal bounds":         {AgePart{Bounds: []float64{0, 5, 5, 10}}, 7.5, 2.5 / 3},
		"nulls are not old":    {AgePart{Nulls: 0.2, Bounds: tens}, 25, 0.8 * 0.25},
		"common values":        {AgePart{Common: []float64{50, 10}, Fractions: []float64{0.3, 0.1}, Bounds: tens}, 20, 0.1 + 0.6*0.2},
		"common values alone":  {AgePart{Common: []float64{1, 2, 3}, Fractions: []float64{0.5, 0.25, 0.25}}, 3, 0.75},
		"the rest as common":   {AgePart{Common: []float64{1, 2}, Fractions: []float64{0.4, 0.4}}, 2, 0.5},
		"without any value":    {AgePart{Nulls: 1}, 5, 0},
		"all are of one value": {AgePart{Common: []float64{7}, Fractions: []float64{1}}, 7, 0},
	} {
		if got := test.part.Below(test.limit); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%s: got %v, want %v", name, got, test.want)
		}
	}
}

// TestBelowGrows checks that a higher limit never has fewer rows below it, and that they are a fraction.
func TestBelowGrows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.Float64Range(-1000, 1000)
		p := AgePart{Name: Name{"public", "a"}, Nulls: rapid.Float64Range(0, 0.3).Draw(t, "nulls"), Bounds: rapid.SliceOfN(value, 0, 8).Draw(t, "bounds")}
		slices.Sort(p.Bounds)
		for _, v := range rapid.SliceOfN(value, 0, 4).Draw(t, "common") {
			p.Common, p.Fractions = append(p.Common, v), append(p.Fractions, 0.15)
		}
		if err := p.check(); err != nil {
			t.Fatal(err)
		}
		a, b := value.Draw(t, "a"), value.Draw(t, "b")
		low, high := p.Below(min(a, b)), p.Below(max(a, b))
		if low > high+1e-12 || low < 0 || high > 1 {
			t.Errorf("%v below %v, %v below %v", low, min(a, b), high, max(a, b))
		}
	})
}

func TestLast(t *testing.T) {
	if last, known := (AgePart{Common: []float64{3, 9, 1}, Bounds: []float64{2, 8}}).Last(); last != 9 || !known {
		t.Errorf("%v, %v", last, known)
	}
	if last, known := (AgePart{Bounds: []float64{-8, -2}}).Last(); last != -2 || !known {
		t.Errorf("%v, %v", last, known)
	}
	if _, known := (AgePart{}).Last(); known {
		t.Error("there is no value")
	}
}

func TestParseColumn(t *testing.T) {
	for text, want := range map[string]Column{
		"articles.published":         {"", "articles", "published"},
		"Public.Articles.PUBLISHED":  {"public", "articles", "published"},
		`"Old ""x"". y".at`:          {"", `Old "x". y`, "at"},
		`"odd schema"."Tab'le;"."c"`: {"odd schema", "Tab'le;", "c"},
	} {
		got, err := ParseColumn(text)
		if err != nil || got != want {
			t.Errorf("%s: got %+v, want %+v, %v", text, got, want, err)
		}
		if again, err := ParseColumn(got.String()); err != nil || again != got {
			t.Errorf("%s is not read back: %+v, %v", got, again, err)
		}
	}
	for _, text := range []string{"", "articles", ".published", "articles.", "a.b.c.d", `"a.b`, `a"b".c`, `"a"b.c`, "a..b"} {
		if c, err := ParseColumn(text); err == nil || hint.Of(err) == "" {
			t.Errorf("%q was taken for %+v", text, c)
		}
	}
}

// TestAgesInFile checks that ages are kept in a file, that a file without them is read as before, and that damaged
// ones are refused.
func TestAgesInFile(t *testing.T) {
	l := readingAt(noon, table(1, "a", Counters{Read: 10}))
	plain, err := l.Encode()
	must(t, err)
	if strings.Contains(string(plain), "ages") {
		t.Error("a reading without ages has them in its file")
	}
	l.Ages = []Age{{Table: Name{"public", "a"}, Column: "at", Now: 1000, Parts: []AgePart{
		{Name: Name{"public", "a"}, Size: 8192, Rows: 100, Known: true, Nulls: 0.25, Common: []float64{7}, Fractions: []float64{0.5}, Bounds: []float64{1, 5, 9}},
	}}}
	good, err := l.Encode()
	must(t, err)
	got, err := Decode(good)
	must(t, err)
	if len(got.Ages) != 1 || got.Ages[0].Parts[0].Below(8) != 0.5+0.25*0.875 || !got.Ages[0].Of(Column{Table: "a", Column: "at"}) || got.Ages[0].Of(Column{"other", "a", "at"}) {
		t.Errorf("%+v", got.Ages)
	}
	for name, test := range map[string]struct{ old, new, want string }{
		"fraction": {`"null_fraction": 0.25`, `"null_fraction": -0.25`, "not between 0 and 1"},
		"sum":      {`"null_fraction": 0.25`, `"null_fraction": 0.75`, "add up to more than 1"},
		"bounds":   {"     9\n", "     3\n", "do not ascend"},
		"column":   {`"column": "at"`, `"column": ""`, "lack a name"},
		"common":   {`"common": [`, "\"common\": [\n     3,", "not as many common values"},
	} {
		text := strings.Replace(string(good), test.old, test.new, 1)
		if _, err := Decode([]byte(text)); text == string(good) || err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
