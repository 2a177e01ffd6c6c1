// Package truth shows that verdicts are as true as plinth says. It drives the
// whole chain, from an experiment's file over its schedule and the values of its
// runs to the words of package verdict, on simulated machines of which the truth
// is known, thousands of times, and counts how often the word or the interval was
// wrong. The figures stand in docs/method.md; make truth makes them again.
//
// Everything is drawn from seeds that follow from the names of lines and columns:
// the same program prints the same figures.
package truth

// The columns of most tables are machines; of some they are noise or power.

// Table is one table of figures.
type Table struct {
	Title   string
	Columns []string
	Lines   []Line
	// Together says that all columns ask the same thing of other machines: then what
	// they come to together is a figure, too.
	Together bool
}

// Line is one line of a table: the same question, asked in each column.
type Line struct {
	Name   string
	Claim  Claim // that each figure has to hold
	Trials int   // of each column
	// Ask makes one trial in a column, from a seed.
	Ask func(column int, seed uint64) (Answer, error)
}

// Answer is what one trial said.
type Answer struct {
	Yes bool
	// Numbers are those behind the answer: p, intervals. A change of the method shows
	// in them before it shows in a share.
	Numbers []float64
}

// Tables are all tables of docs/method.md.
func Tables() []Table {
	return []Table{equals(), wrongWays(), wrongHabits(), intervals(), lopsided(), power(), promises(), equivalence()}
}
