package truth

import (
	"errors"
	"math"
	"math/rand/v2"

	"plinth/internal/experiment"
	"plinth/internal/experiment/encode"
	"plinth/internal/record"
	"plinth/internal/verdict"
)

// Trial is an experiment on a machine whose truth is known.
type Trial struct {
	Experiment *experiment.Experiment
	Machine    Machine
	// Effect returns the true difference, as a logarithm, between the baseline and any
	// other environment in a cell; nil for equals.
	Effect func(cell experiment.Cell) float64
	// Luck is the variation between loads of a dataset: the standard deviation of a
	// factor that an environment has from one load to the next.
	Luck float64
	// Skew is the scale of a one-sided long-tailed noise, as latencies have it, in all
	// environments.
	Skew float64
	// Lopsided is the scale of a one-sided long-tailed noise with mean zero in all
	// environments but the baseline.
	Lopsided float64
	// Tamper changes the plan, to show what violating the method costs.
	Tamper func(*record.Plan)
}

// simulated is a trial with its runs.
type simulated struct {
	rec  *record.Record
	plan *record.Plan
	runs []record.Run // by number, and so by repeat
}

// simulate creates the record of a trial.
func (t *Trial) simulate(seed uint64) (*simulated, error) {
	if t.Experiment == nil {
		return nil, errors.New("cannot simulate: the experiment file has a mistake")
	}
	random := rand.New(rand.NewPCG(seed, 0x7472757468))
	e := *t.Experiment
	e.Seed = 1 + random.Uint64N(1<<52)
	plan := verdict.PlanOf(&e)
	if t.Tamper != nil {
		t.Tamper(plan)
	}
	yaml := encode.YAML(&e)
	s := &simulated{plan: plan, runs: t.runs(&e, random)}
	declared := record.DeclaredFingerprint(yaml, plan)
	for i := range s.runs {
		s.runs[i].Declared = declared
	}
	s.rec = &record.Record{
		Path: "truth", ExperimentYAML: yaml, Environments: map[string]record.Environment{},
		Summary: record.Summary{
			Schema: record.SummarySchema, Name: e.Name, Engine: e.Engine, Seed: e.Seed, Baseline: e.Baseline,
			Fingerprint: record.Fingerprint(yaml), Plan: plan,
		},
	}
	return s, nil
}

// runs returns the runs of the schedule, in order of time.
func (t *Trial) runs(e *experiment.Experiment, random *rand.Rand) []record.Run {
	schedule := e.Schedule()
	values := t.Machine.values(schedule.Runs(), random)
	var runs []record.Run
	for _, repeat := range schedule {
		loads := map[string]float64{}
		for _, env := range e.Environments {
			loads[env.Name] = t.Luck * random.NormFloat64()
		}
		for _, slot := range repeat {
			value := math.Log(base(slot.Cell)) + values[len(runs)] + loads[slot.Environment] +
				t.Skew*random.ExpFloat64()*random.ExpFloat64()
			if slot.Environment != e.Baseline {
				value += t.other(slot.Cell, random)
			}
			runs = append(runs, run(slot, len(runs)+1, math.Exp(value)))
		}
	}
	return runs
}

// other returns the part that only the baseline lacks.
func (t *Trial) other(cell experiment.Cell, random *rand.Rand) float64 {
	value := t.Lopsided * (random.ExpFloat64() - 1)
	if t.Effect != nil {
		value += t.Effect(cell)
	}
	return value
}

// base returns a cell's value without machine and environment.
func base(cell experiment.Cell) float64 {
	return 1000 * math.Sqrt(float64(cell.Clients)) * float64(len(cell.Workload))
}

// run returns a valid run of this many TPS or, as a latency, this many microseconds.
func run(slot experiment.Slot, number int, value float64) record.Run {
	return record.Run{
		Schema: record.RunSchema,
		RunID:  record.RunID{Environment: slot.Environment, Cell: slot.Cell, Repeat: slot.Repeat, Attempt: 1},
		Number: number, Position: slot.Position, Status: record.Valid,
		Result: record.Result{TPS: value, Latency: record.Latency{Mean: 1000 * value}},
	}
}

// at compares the runs up to a repeat.
func (s *simulated) at(repeat int) (*verdict.Comparison, error) {
	end := len(s.runs)
	for end > 0 && s.runs[end-1].Repeat > repeat {
		end--
	}
	s.rec.Runs = s.runs[:end]
	return verdict.Of(s.rec, verdict.Options{})
}

// looks returns the comparisons at all looks that are reached: with "stop: decided" the
// experiment ends at the first that decides.
func (s *simulated) looks() ([]*verdict.Comparison, error) {
	var all []*verdict.Comparison
	for _, look := range s.plan.Looks {
		c, err := s.at(look.Repeat)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
		if s.plan.Stop == "decided" && c.Decided() {
			break
		}
	}
	return all, nil
}
