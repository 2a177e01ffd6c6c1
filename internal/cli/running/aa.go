package running

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"plinth/internal/cli/base"
	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/stats"
	"plinth/internal/verdict"
)

// selfPrefix before the source of an experiment means that its baseline is compared with itself.
// Records store the source with this prefix.
const selfPrefix = "aa:"

func (a *app) selfCommand() *cobra.Command {
	var flags runFlags
	cmd := &cobra.Command{
		Use:   "aa [FILE|NAME]",
		Short: "Compare this machine with itself: is it quiet enough to trust?",
		Long: `Compare this machine with itself: run the baseline of an experiment (default: the
quickstart) as two identical environments, each reloaded in every repeat. The
difference between them is the noise of this machine, which determines the smallest
effect that it can detect in a given time. The record stores the noise, and later
comparisons and dry runs on this machine cite it.

If the experiment has environments on two machines, the second environment is on the
other machine, with the storage of the environment there: the difference is how far
apart the two machines are.` +
			base.ExitHelp(base.ExitDone, base.ExitFailed, base.ExitUsage, base.ExitPutBack, base.ExitMachineChanged, base.ExitInterrupted),
		Example: `  plinth aa
  plinth aa my-experiment.yaml --set repeats=12
  plinth aa two-hosts.yaml
  plinth run --resume latest      complete an interrupted comparison`,
		Args: base.AtMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			flags.self = true
			if err := base.Usage(base.NoneEmpty(cmd.Flags())); err != nil {
				return err
			}
			return a.runOrPreview(cmd.Context(), args, flags)
		},
	}
	flags.register(cmd.Flags())
	return cmd
}

// itself turns an experiment into one that compares its baseline with itself, with enough repeats
// for a verdict on each workload unless sets has a number of repeats.
func itself(e *experiment.Experiment, sets []string) error {
	var own experiment.Environment
	for _, environment := range e.Environments {
		if environment.Name == e.Baseline {
			own = environment
		}
	}
	again := own
	again.Name += "-again"
	question := "How much do identical environments differ on this machine?"
	for _, other := range e.Environments {
		if other.At.Machine() != own.At.Machine() {
			// What belongs to a machine, or says where its server is.
			again.At, again.Storage, again.Listen, again.Postgres, again.Redis = other.At, other.Storage, other.Listen, other.Postgres, other.Redis
			again.Connect, again.Disposable = other.Connect, other.Disposable
			question = fmt.Sprintf("How much do identical environments differ between %s and %s?", record.MachineName(own.At.Machine()), record.MachineName(other.At.Machine()))
			break
		}
	}
	e.Environments, e.Steps, e.Ablate = []experiment.Environment{own, again}, nil, ""
	e.Name, e.Question = "aa-"+e.Name, question
	e.Dataset.Shared = false // the noise of loads is part of the answer
	e.Dataset.Reload, e.Interleave, e.Compare, e.Stop = "repeat", "block", nil, "end"
	if len(again.Name) > longestName || len(e.Name) > longestName {
		return base.Usage(fmt.Errorf("the name of the experiment or of its baseline is too long for plinth aa, which lengthens both names"))
	}
	if !slices.ContainsFunc(sets, func(set string) bool { return strings.HasPrefix(set, "repeats=") }) {
		plan := verdict.PlanOf(e)
		e.Repeats = max(e.Repeats, stats.Fewest(plan.Looks[len(plan.Looks)-1].Alpha, plan.Family))
	}
	return nil
}

// longestName is the maximum length of the name of an experiment or environment, in bytes.
const longestName = 63
