package stats

import (
	"math"
	"math/rand/v2"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"
)

const (
	// mostSimulated is the number of units up to which edges are simulated: so few
	// units have too few orders for Student's t to be a good approximation.
	mostSimulated = 12

	simulatedEdges = 800
	studentEdges   = 64
)

// edges caches edgesOf, which takes milliseconds for few units.
var edges sync.Map

type edgeKey struct{ units, rank int }

// edgesOf returns equally likely values of the edge: how far the mean must lie from zero for
// the interval, which begins at the typical value of this rank, to exclude zero. Its unit is
// the standard deviation of the noise. For normal noise, mean, spread and shape are independent
// (Geary, 1936), so an edge is a spread, whose distribution is known, times the edge of a
// shape.
func edgesOf(units, rank int) []float64 {
	key := edgeKey{units, rank}
	if known, ok := edges.Load(key); ok {
		return known.([]float64)
	}
	shapes := studentShapes(units, rank)
	if units <= mostSimulated {
		shapes = simulatedShapes(units, rank)
	}
	for i := range shapes {
		shapes[i] *= spreadAt(units, (float64(i)+0.5)/float64(len(shapes)))
	}
	edges.Store(key, shapes)
	return shapes
}

// spreadAt returns a quantile of the measured standard deviation of units whose true one is 1.
func spreadAt(units int, quantile float64) float64 {
	freedom := float64(units - 1)
	return math.Sqrt(distuv.ChiSquared{K: freedom}.Quantile(quantile) / freedom)
}

// studentShapes returns the edges of Student's t-test at the same alpha, which is close to the
// randomisation test; with a random spread this is the noncentral t distribution.
func studentShapes(units, rank int) []float64 {
	alpha := float64(rank) / flipOrders(units)
	t := distuv.StudentsT{Sigma: 1, Nu: float64(units - 1)}
	shapes := make([]float64, studentEdges)
	floats.AddConst(t.Quantile(1-alpha/2)/math.Sqrt(float64(units)), shapes)
	return shapes
}

// simulatedShapes draws normal noise and computes the edges from its typical values. The seed
// depends only on the number of units: the same plan always has the same promised power.
func simulatedShapes(units, rank int) []float64 {
	random := rand.New(generator(uint64(units)))
	noise := make([]float64, units)
	shapes := make([]float64, 0, simulatedEdges)
	for len(shapes) < simulatedEdges {
		for i := range noise {
			noise[i] = random.NormFloat64()
		}
		_, deviations := centre(noise)
		means := subsetMeans(deviations)
		sd := deviation(units-1, deviations)
		// The mirrored noise is as likely, so both ends are edges.
		shapes = append(shapes, -smallest(means, rank)/sd, smallest(means, len(means)+1-rank)/sd)
	}
	return shapes
}
