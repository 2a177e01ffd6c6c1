package truth

import "testing"

// told returns a table whose only trial gives this number.
func told(number float64) []Table {
	return []Table{{Title: "t", Columns: []string{"c"}, Lines: []Line{{
		Name: "l", Claim: nothing, Trials: 1,
		Ask: func(int, uint64) (Answer, error) { return Answer{Numbers: []float64{number}}, nil },
	}}}}
}

func TestMarkNoticesAnotherMethodAndAnotherText(t *testing.T) {
	mark := func(tables []Table, text string) string {
		m, err := Mark(tables, text)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	made := mark(told(0.0123456), "| l | 4.1 |")
	if mark(told(0.0123456), "| l | 4.1 |") != made || mark(told(0.01234560000001), "| l | 4.1 |") != made {
		t.Error("the mark of the same differs")
	}
	if mark(told(0.0123457), "| l | 4.1 |") == made {
		t.Error("another number has the same mark")
	}
	if mark(told(0.0123456), "| l | 4.0 |") == made {
		t.Error("another text has the same mark")
	}
	claimed := told(0.0123456)
	claimed[0].Lines[0].Claim = atMost(0.05)
	if mark(claimed, "| l | 4.1 |") == made {
		t.Error("another claim has the same mark")
	}
}

func TestTablesStandBetweenTheirMarkers(t *testing.T) {
	const document = "before\n<!-- truth -->\nold\n<!-- end -->\nafter\n"
	got, err := Replaced(document, "new\n")
	if want := "before\n<!-- truth -->\nnew\n<!-- end -->\nafter\n"; err != nil || got != want {
		t.Errorf("%q, %v", got, err)
	}
	if text, ok := Between(got); !ok || text != "new\n" {
		t.Errorf("%q, %v", text, ok)
	}
	for _, broken := range []string{"", "<!-- truth -->\n", "<!-- end -->\n<!-- truth -->\n"} {
		if text, err := Replaced(broken, "new\n"); err == nil {
			t.Errorf("%q becomes %q", broken, text)
		}
	}
}
