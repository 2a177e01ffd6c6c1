// Package truth measures how often verdicts are wrong. It runs the whole chain, from an
// experiment file through its schedule and the values of its runs to the verdicts of package
// verdict, thousands of times on simulated machines whose true differences are known, and
// counts wrong outcomes and intervals. docs/method.md shows the figures; make truth
// recomputes them.
//
// All seeds are derived from the names of the tables' rows and columns, so the same program
// prints the same figures.
package truth

// Most tables have machines as columns; some have noise or power.

// Table is one table of figures.
type Table struct {
	Title   string
	Columns []string
	Lines   []Line
	// Together is set if all columns ask the same question on different machines: the
	// table then also shows their total.
	Together bool
}

// Line is one line of a table: the same question, asked in each column.
type Line struct {
	Name   string
	Claim  Claim // that each figure has to meet
	Trials int   // per column
	// Ask runs one trial in a column, from a seed.
	Ask func(column int, seed uint64) (Answer, error)
}

// Answer is the result of one trial.
type Answer struct {
	Yes bool
	// Numbers holds the numbers behind the answer: p, intervals. They reveal a change of
	// the method before any share does.
	Numbers []float64
}

// Tables returns all tables of docs/method.md.
func Tables() []Table {
	return []Table{equals(), wrongWays(), wrongHabits(), intervals(), lopsided(), power(), promises(), equivalence()}
}
