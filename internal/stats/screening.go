package stats

import "slices"

// generators are the rows from which the designs of Plackett and Burman follow, by ascending number of runs.
var generators = []string{
	"+++-+--",
	"++-+++---+-",
	"++++-+-++--+---",
	"++--++++-+-+----++-",
	"+++++-+-++--++--+-+----",
}

// MostScreened is the greatest number of factors of a screening design.
const MostScreened = 23

// Screening returns a design that measures the effects of up to MostScreened factors at once: which of them each run has.
// Each factor is in half of the runs, and each two are together in a quarter of them, so that the mean of the runs with
// a factor less that of the runs without it does not depend on what the others do. It is a design of Plackett and
// Burman (Biometrika 33, 1946) with its mirror image, so that what two other factors do only together does not matter
// either. The first run has none of the factors, and the last one has all.
func Screening(factors int) [][]bool {
	row := ""
	for _, row = range generators {
		if len(row) >= factors {
			break
		}
	}
	n := len(row)
	none, all := make([]bool, factors), make([]bool, factors)
	for i := range all {
		all[i] = true
	}
	design := [][]bool{none}
	add := func(run []bool) { // a few factors have fewer combinations than the design has runs
		same := func(other []bool) bool { return slices.Equal(run, other) }
		if !slices.ContainsFunc(design, same) && !slices.Equal(run, all) {
			design = append(design, run)
		}
	}
	for i := range n {
		run, mirrored := make([]bool, factors), make([]bool, factors)
		for j := range factors {
			run[j] = row[(i+j)%n] == '+'
			mirrored[j] = !run[j]
		}
		add(run)
		add(mirrored)
	}
	return append(design, all)
}
