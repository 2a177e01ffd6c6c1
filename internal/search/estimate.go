package search

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Observation is one run of a round: the objective as a logarithm, greater is better.
type Observation struct {
	Environment int // its row of the design
	Repeat      int
	Value       float64
}

// fewestSpare is the number of observations beyond the unknowns that a deviation of runs takes.
const fewestSpare = 5

// assumedSD is the deviation of a run where there are too few to measure it.
const assumedSD = 0.06

// weakSD is the deviation of effects before anything is measured: so great that it matters only to a move that the
// runs cannot tell from others. The error of such a move is then great, too.
const weakSD = 0.5

// Spare returns the number of runs of a round beyond its unknowns, a value for each repeat and an effect for each move.
func (r Round) Spare(runs []Observation) int {
	repeats := map[int]bool{}
	for _, o := range runs {
		repeats[o.Repeat] = true
	}
	return len(runs) - len(repeats) - len(r.Moves)
}

// Repeats returns the fewest repeats of a round with which the deviation of its runs is measured.
func (r Round) Repeats() int {
	repeats := 1
	for repeats*(len(r.Design)-1)-len(r.Moves) < fewestSpare && len(r.Design) > 1 {
		repeats++
	}
	return repeats
}

// Estimates returns the effect of each move of a round, by least squares over its runs: a value for each repeat and an effect
// for each move. Runs may be missing. What moves do only together is in the deviation, so that the errors are rather
// too large.
func (r Round) Estimates(runs []Observation) ([]Estimate, error) {
	repeats := map[int]int{} // column by repeat
	for _, o := range runs {
		if _, known := repeats[o.Repeat]; !known {
			repeats[o.Repeat] = len(repeats)
		}
	}
	unknowns := len(repeats) + len(r.Moves)
	if len(runs) < 2 {
		return nil, errors.New("there are fewer than two valid runs")
	}
	x, y := mat.NewDense(len(runs), unknowns, nil), mat.NewVecDense(len(runs), nil)
	for i, o := range runs {
		x.Set(i, repeats[o.Repeat], 1)
		for j := range r.Moves {
			half := -0.5
			if r.Design[o.Environment][j] {
				half = 0.5
			}
			x.Set(i, len(repeats)+j, half)
		}
		y.SetVec(i, o.Value)
	}
	var normal, inverse mat.SymDense
	normal.SymOuterK(1, x.T())
	for j := range r.Moves {
		at := len(repeats) + j
		normal.SetSym(at, at, normal.At(at, at)+assumedSD*assumedSD/(weakSD*weakSD))
	}
	var factor mat.Cholesky
	if !factor.Factorize(&normal) {
		return nil, errors.New("its runs do not tell the changes apart")
	}
	var right, solved, residual mat.VecDense
	right.MulVec(x.T(), y)
	if err := factor.SolveVecTo(&solved, &right); err != nil {
		return nil, err
	}
	if err := factor.InverseTo(&inverse); err != nil {
		return nil, err
	}
	residual.MulVec(x, &solved)
	residual.SubVec(y, &residual)
	variance := assumedSD * assumedSD
	if spare := r.Spare(runs); spare >= fewestSpare {
		variance = mat.Dot(&residual, &residual) / float64(spare)
	}
	all := make([]Estimate, len(r.Moves))
	for j := range all {
		at := len(repeats) + j
		all[j] = Estimate{solved.AtVec(at), math.Sqrt(variance * inverse.At(at, at))}
	}
	return all, nil
}
