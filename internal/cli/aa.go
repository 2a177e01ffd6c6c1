package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"plinth/internal/experiment"
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
difference between them is the noise of this machine, which determines the effects
that it can detect in a given time. The record stores the noise, and later
comparisons and dry runs on this machine cite it.` +
			exitHelp(exitDone, exitFailed, exitUsage, exitPutBack, exitMachineChanged, exitInterrupted),
		Example: `  plinth aa
  plinth aa my-experiment.yaml --set repeats=12
  plinth run --resume latest      complete an interrupted comparison`,
		Args: atMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			flags.self = true
			if len(args) == 0 { // seven blocks for each of the quickstart's two workloads: the minimum for a verdict
				flags.sets = append([]string{"repeats=7"}, flags.sets...)
			}
			return a.runOrPreview(cmd.Context(), args, flags)
		},
	}
	flags.register(cmd.Flags())
	return cmd
}

// itself turns an experiment into one that compares its baseline with itself.
func itself(e *experiment.Experiment) error {
	var base experiment.Environment
	for _, environment := range e.Environments {
		if environment.Name == e.Baseline {
			base = environment
		}
	}
	again := base
	again.Name += "-again"
	e.Environments = []experiment.Environment{base, again}
	e.Name, e.Question = "aa-"+e.Name, "How much do identical environments differ on this machine?"
	e.Dataset.Reload, e.Interleave, e.Compare, e.Stop = "repeat", "block", nil, "end"
	if len(again.Name) > longestName || len(e.Name) > longestName {
		return &usageError{fmt.Errorf("the name of the experiment or of its baseline is too long for plinth aa, which extends it")}
	}
	return nil
}

// longestName is the maximum length of the name of an experiment or environment, in bytes.
const longestName = 63
