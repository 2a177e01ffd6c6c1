package truth

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestClaims runs a small share of the trials of make truth, from the same seeds, and
// checks the figures against the claims.
func TestClaims(t *testing.T) {
	for _, table := range Tables() {
		all := map[Claim]Figure{} // tables with one claim pool their trials
		for _, line := range table.Lines {
			figures, err := table.Count(line, small(line))
			if err != nil {
				t.Fatal(err)
			}
			counted := Counted{line, figures}
			for _, r := range table.refusals(counted) {
				t.Errorf("%s, %s: %v refute %q", r.Line, r.Column, figures, line.Claim)
			}
			all[line.Claim] = all[line.Claim].plus(counted.Pooled())
		}
		for claim, figure := range all {
			if figure.Refutes(claim, luck) {
				t.Errorf("%s: %v in all refute %q", table.Title, figure, claim)
			}
		}
	}
}

// small returns the share of a line's trials that the test has time for: for fast lines
// enough to detect a missing Holm correction, for slow lines, which have few trials, one
// per column.
func small(line Line) float64 {
	if line.Trials > dear {
		return max(0.02, 25/float64(line.Trials))
	}
	return 1 / float64(line.Trials)
}

// TestWrongMethodsAreWrong checks the simulation: on machines where even careless methods
// are right the tables would show nothing.
func TestWrongMethodsAreWrong(t *testing.T) {
	for _, c := range []struct {
		table  Table
		line   string
		column int
		atMost float64 // a claim that must be refuted
	}{
		{wrongWays(), "one after the other", 1, 0.5},
		{wrongWays(), "one after the other", 2, 0.2},
		{wrongWays(), "12 pairs, A always first", 1, 0.1},
		{wrongWays(), "interleave: repeat, but blocks", 2, 0.1},
		{wrongHabits(), "3 workloads, each", 0, 0.05},
	} {
		line := c.table.line(t, c.line)
		figure, err := c.table.count(line, c.column, min(100, line.Trials/4))
		if err != nil {
			t.Fatal(err)
		}
		if !figure.Refutes(atMost(c.atMost), 0.05) {
			t.Errorf("%s on %s: only %v", line.Name, c.table.Columns[c.column], figure)
		}
	}
}

func (t Table) line(test *testing.T, name string) Line {
	test.Helper()
	i := slices.IndexFunc(t.Lines, func(l Line) bool { return strings.HasPrefix(l.Name, name) })
	if i < 0 {
		test.Fatalf("no line %q", name)
	}
	return t.Lines[i]
}

// TestDocument finds tables in docs/method.md that come from another method, from other
// lines, or were edited.
func TestDocument(t *testing.T) {
	document, err := os.ReadFile("../../../docs/method.md")
	if err != nil {
		t.Fatal(err)
	}
	text, ok := Between(string(document))
	if !ok {
		t.Fatal("no tables in docs/method.md: run make truth")
	}
	tables := Tables()
	at := strings.LastIndex(text, "\n<!-- made by")
	if at < 0 {
		t.Fatal("the tables of docs/method.md bear no mark: run make truth")
	}
	mark, err := Mark(tables, text[:at])
	if err != nil {
		t.Fatal(err)
	}
	if text[at:] != marked(mark) {
		t.Errorf("the tables of docs/method.md are not those of this method, or were edited: run make truth\n%swant%s", text[at:], marked(mark))
	}
	if want := skeleton(tables); !slices.Equal(rowNames(text), want) {
		t.Errorf("docs/method.md has the lines\n%q\nwant\n%q", rowNames(text), want)
	}
}

// rowNames returns the first cells of the rows of all tables.
func rowNames(text string) []string {
	var all []string
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, "| "); ok {
			name, _, _ := strings.Cut(rest, " | ")
			all = append(all, name)
		}
	}
	return all
}

func skeleton(tables []Table) []string {
	var all []string
	for _, t := range tables {
		all = append(all, t.Title)
		for _, line := range t.Lines {
			all = append(all, line.Name)
		}
	}
	return all
}

// TestQuickLinesAreThoseOfTheDocument recomputes the fastest lines completely: their rows
// must match the document exactly.
func TestQuickLinesAreThoseOfTheDocument(t *testing.T) {
	document, err := os.ReadFile("../../../docs/method.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		table Table
		line  string
	}{
		{wrongWays(), "one after the other"},
		{wrongWays(), "12 pairs, A always first"},
		{wrongHabits(), "12 blocks, as declared"},
	} {
		line := c.table.line(t, c.line)
		figures, err := c.table.Count(line, 1)
		if err != nil {
			t.Fatal(err)
		}
		var row strings.Builder
		c.table.WriteLine(&row, Counted{line, figures})
		if !strings.Contains(string(document), "\n"+row.String()) {
			t.Errorf("docs/method.md lacks the line\n%srun make truth", row.String())
		}
	}
}

func TestWhoMakesATrialChangesNothing(t *testing.T) {
	table := equals()
	line := table.line(t, "12 blocks")
	seed := table.seed(line, 2, 7)
	first, err := line.Ask(2, seed)
	if err != nil {
		t.Fatal(err)
	}
	again, err := line.Ask(2, seed)
	if err != nil || first.Yes != again.Yes || !slices.Equal(first.Numbers, again.Numbers) {
		t.Errorf("%+v, then %+v, %v", first, again, err)
	}
	if other, err := line.Ask(2, table.seed(line, 2, 8)); err != nil || slices.Equal(first.Numbers, other.Numbers) {
		t.Errorf("the next trial is the same: %+v, %v", other, err)
	}
}

func TestClaimsAreRefutedByWhatIsTooRare(t *testing.T) {
	for _, c := range []struct {
		figure Figure
		claim  Claim
		want   bool
	}{
		{Figure{5, 100}, atMost(0.05), false},
		{Figure{9, 100}, atMost(0.05), false},  // P(9 or more) = 0.063
		{Figure{13, 100}, atMost(0.05), false}, // 0.0015
		{Figure{14, 100}, atMost(0.05), true},  // 0.0005
		{Figure{0, 100}, atMost(0.05), false},
		{Figure{100, 100}, nothing, false},
		{Figure{0, 100}, nothing, false},
		{Figure{86, 100}, atLeast(0.95), true},
		{Figure{88, 100}, atLeast(0.95), false},
		{Figure{100, 100}, atLeast(0.95), false},
		{Figure{30, 100}, Claim{0.47, 0.53}, true},
		{Figure{50, 100}, Claim{0.47, 0.53}, false},
		{Figure{70, 100}, Claim{0.47, 0.53}, true},
	} {
		if got := c.figure.Refutes(c.claim, luck); got != c.want {
			t.Errorf("%v refutes %q: %v", c.figure, c.claim, got)
		}
	}
}

// TestMachines checks the simulated noise: with a drift that does not drift any method
// would pass.
func TestMachines(t *testing.T) {
	const n, repeats = 200, 200
	for i, want := range []struct{ spread, rise, neighbours float64 }{
		{0.02, 0, 0}, {0.067, 0.22, 0.9}, {0.24, 0, 0.86}, {0.25, 0, 0}, {0.085, 0, 0}, {0.15, 0, 0}, {0.145, 0, 0.97}, {0.35, 0.22, 0.60},
	} {
		m, random := machines[i], randomOf(uint64(i))
		var spread, rise, neighbours float64
		for range repeats {
			v := m.values(n, random)
			s, l := shape(v)
			spread, neighbours = spread+s/repeats, neighbours+l/repeats
			rise += (mean(v[n-10:]) - mean(v[:10])) / repeats
		}
		if math.Abs(spread/want.spread-1) > 0.15 || math.Abs(rise-want.rise) > 0.08 || math.Abs(neighbours-want.neighbours) > 0.06 {
			t.Errorf("%s: spread %.3f, rise %.3f, neighbours %.2f; want about %+v", m.Name, spread, rise, neighbours, want)
		}
	}
}
