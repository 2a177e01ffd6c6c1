package truth

import (
	"math"
	"math/rand/v2"
)

// Machine is a simulated machine. A run's value is the truth times the machine's mood at
// that time times the run's noise; zero disables a component. Shares are of the value:
// 0.25 is 25 %.
type Machine struct {
	Name   string
	Noise  float64 // standard deviation of independent, normal noise
	Drift  float64 // linear, from the first run to the last
	Mood   float64 // standard deviation of a slow component with a correlation of 0.9 from run to run
	Rhythm float64 // amplitude of a sine with three periods per experiment
	Tails  float64 // scale of noise by Student's t with three degrees of freedom
	Hits   float64 // share of runs that are slowed down by half
}

// quiet is the base noise of the machines.
const quiet = 0.02

// machines lists the machines on which every plan is tried.
var machines = []Machine{
	{Name: "quiet", Noise: quiet},
	{Name: "drift", Noise: quiet, Drift: 0.25},
	{Name: "moods", Noise: quiet, Mood: 0.25},
	{Name: "noise", Noise: 0.25},
	{Name: "tails", Noise: quiet, Tails: 0.05},
	{Name: "hits", Noise: quiet, Hits: 0.05},
	{Name: "daily", Noise: quiet, Rhythm: 0.20},
	{Name: "all", Noise: 0.10, Drift: 0.25, Mood: 0.25, Tails: 0.05, Hits: 0.05, Rhythm: 0.20},
}

func machineNames() []string {
	var names []string
	for _, m := range machines {
		names = append(names, m.Name)
	}
	return names
}

const (
	stays   = 0.9 // the part of a mood that remains at the next run
	periods = 3
)

// values returns mood and noise of n successive runs, as logarithms.
func (m Machine) values(n int, random *rand.Rand) []float64 {
	values := make([]float64, n)
	mood, phase := random.NormFloat64(), random.Float64()
	for i := range values {
		when := float64(i) / float64(n)
		values[i] = math.Log1p(m.Drift*when) + m.Mood*mood +
			math.Log1p(m.Rhythm*math.Sin(2*math.Pi*(periods*when+phase))) + m.noise(random)
		mood = stays*mood + math.Sqrt(1-stays*stays)*random.NormFloat64()
	}
	return values
}

// noise returns the noise of one run.
func (m Machine) noise(random *rand.Rand) float64 {
	noise := m.Noise*random.NormFloat64() + m.Tails*student(random)
	if random.Float64() < m.Hits {
		noise -= math.Ln2
	}
	return noise
}

// student draws from Student's t with three degrees of freedom.
func student(random *rand.Rand) float64 {
	squares := 0.0
	for range 3 {
		z := random.NormFloat64()
		squares += z * z
	}
	return random.NormFloat64() / math.Sqrt(squares/3)
}
