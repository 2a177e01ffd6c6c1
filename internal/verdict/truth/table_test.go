package truth

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

// TestWrite writes a table with known trials: the first column says yes in one trial of
// four, the second never.
func TestWrite(t *testing.T) {
	table := told(0)[0]
	table.Title, table.Columns, table.Together = "Found", []string{"some", "none"}, true
	seeds := map[uint64]bool{}
	line := Line{Name: "one", Claim: atMost(0.05), Trials: 400}
	for trial := 0; trial < line.Trials; trial += 4 {
		seeds[table.seed(line, 0, trial)] = true
	}
	line.Ask = func(_ int, seed uint64) (Answer, error) { return Answer{Yes: seeds[seed]}, nil }
	table.Lines = []Line{line}
	var shown strings.Builder
	text, refused, err := Write(&shown, []Table{table})
	want := "\n| Found | some | none | together | trials | claim |\n|---|---:|---:|---:|---:|---|\n| one | 25.0 | 0.0 | 12.5 | 800 | at most 5 % |\n"
	if err != nil || shown.String() != want || !strings.HasPrefix(text, want+"\n<!-- made by make truth: ") {
		t.Errorf("%q, %v, shown %q", text, err, shown.String())
	}
	if all := []Refusal{{"one", "all"}, {"one", "some"}}; !slices.Equal(refused, all) {
		t.Errorf("refused %v, want %v", refused, all)
	}
}

func TestWriteStopsAtAMistake(t *testing.T) {
	tables := told(0)
	tables[0].Lines[0].Ask = func(int, uint64) (Answer, error) { return Answer{}, errors.New("no such plan") }
	if text, _, err := Write(io.Discard, tables); err == nil || text != "" || !strings.Contains(err.Error(), `"l"`) {
		t.Errorf("%q, %v", text, err)
	}
}

func TestClaimsAsTablesHaveThem(t *testing.T) {
	for claim, want := range map[Claim]string{
		nothing: "", atMost(0.05): "at most 5 %", atLeast(0.965): "at least 96.5 %", {0.47, 0.53}: "47 % to 53 %",
	} {
		if got := claim.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
