package predicting

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/pflag"

	"plinth/internal/cli/base"
	"plinth/internal/cost"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/prediction"
	"plinth/internal/record"
)

// candidateFlags name disks that were not measured, for costs and advice.
type candidateFlags struct {
	devices     []string
	environment string
	from        string
}

func (f *candidateFlags) register(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.devices, "device", nil, "add a prediction with the data on `DEVICE`, as plinth predict does; may be repeated")
	flags.StringVar(&f.environment, "environment", "", "with --device, predict from the runs of `ENVIRONMENT` (default: the baseline)")
	flags.StringVar(&f.from, "from-device", "", "with --device, the reference ran on `DEVICE`, if its record does not name the disk")
}

// candidates predicts the disks that the flags name. The experiment is that of the record, with costs that were added
// to it.
func (f candidateFlags) candidates(e *experiment.Experiment, rec *record.Record) (all []cost.Candidate, err error) {
	switch {
	case len(f.devices) == 0 && (f.environment != "" || f.from != ""):
		return nil, hint.Errorf("add --device gp3, for example", "--environment and --from-device need --device")
	case len(f.devices) == 0:
		return nil, nil
	case rec == nil:
		return nil, hint.Errorf("name a record", "--device: a prediction needs runs, and a file alone has none")
	}
	environment := cmp.Or(f.environment, rec.Summary.Baseline)
	if err := base.CheckEnvironment(rec, environment); err != nil {
		return nil, err
	}
	at := slices.IndexFunc(e.Environments, func(env experiment.Environment) bool { return env.Name == environment })
	if at < 0 {
		return nil, fmt.Errorf("the experiment of the record has no environment %s", environment)
	}
	named := *rec // what the disk is said to be is for the prediction alone
	named.Environments = maps.Clone(rec.Environments)
	if err := nameDisk(&named, environment, f.from); err != nil {
		return nil, err
	}
	for _, text := range f.devices {
		name, options, err := parseLimits(text)
		if err == nil {
			_, err = base.FindDevice(name)
		}
		var c cost.Candidate
		if err == nil {
			c, err = cost.NewCandidate(e, e.Environments[at], name, options)
		}
		if err != nil {
			return nil, hint.Wrap(fmt.Errorf("--device %s: %w", text, err), hint.Of(err))
		}
		c.Name = text
		all = append(all, c)
	}
	return all, predictCandidates(&named, environment, all)
}

// predictCandidates fills in what the cells of an environment would do on each disk. It is an error if none can be
// predicted on any of them.
func predictCandidates(rec *record.Record, environment string, all []cost.Candidate) error {
	cells, err := predictFlags{}.cells(rec, environment)
	if err != nil {
		return err
	}
	for i := range all {
		all[i].Predictions, all[i].Refused = map[experiment.Cell]prediction.Prediction{}, map[experiment.Cell]string{}
	}
	var first error
	predicted := false
	refuse := func(c cost.Candidate, cell experiment.Cell, err error) {
		first = cmp.Or(first, err)
		c.Refused[cell] = err.Error()
	}
	for _, cell := range cells {
		ref, err := prediction.Of(rec, environment, cell)
		for _, c := range all {
			if err != nil {
				refuse(c, cell, err)
				continue
			}
			p, one := ref.Predict(prediction.Question{Data: &c.Model})
			if one != nil {
				refuse(c, cell, one)
				continue
			}
			predicted = true
			c.Predictions[cell] = p
		}
	}
	if !predicted {
		return first
	}
	return nil
}
