package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/report"
	"plinth/internal/verdict"
)

// selfPrefix before the source of an experiment means that its baseline is
// compared with itself. It is how a record remembers it.
const selfPrefix = "aa:"

func (a *app) selfCommand() *cobra.Command {
	var flags runFlags
	cmd := &cobra.Command{
		Use:   "aa [FILE|NAME]",
		Short: "Compare this machine with itself: is it quiet enough to trust?",
		Long: `Compare this machine with itself: the baseline of an experiment (the quickstart
unless said) runs twice, as two environments that differ in nothing, each loaded
anew in every repeat. What is found is the noise of this machine: how far equals
are apart, and so which effect it can see in which time. The record keeps it, and
later comparisons and dry runs on this machine cite it.` +
			exitHelp(exitDone, exitFailed, exitUsage, exitPutBack, exitMachineChanged, exitInterrupted),
		Example: `  plinth aa
  plinth aa my-experiment.yaml --set repeats=12
  plinth run --resume latest      completes one that was interrupted`,
		Args: atMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			flags.self = true
			if len(args) == 0 { // as few as can decide both workloads of the quickstart
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
	e.Name, e.Question = "aa-"+e.Name, "How far is this machine from itself?"
	e.Dataset.Reload, e.Compare, e.Stop = "repeat", nil, "end"
	if len(again.Name) > longestName || len(e.Name) > longestName {
		return &usageError{fmt.Errorf("the name of the experiment or of its baseline is too long to be compared with itself")}
	}
	return nil
}

// longestName is how long the name of an experiment or environment may be.
const longestName = 63

// tellPower says which effects an experiment can see, by the noise that a
// comparison of equals has found.
func (a *app) tellPower(e *experiment.Experiment, from string, noise []record.Noise, blockTime float64) {
	plan := verdict.PlanOf(e)
	powers := verdict.PowerOf(e, plan, noise, blockTime)
	if len(powers) == 0 {
		return
	}
	fmt.Fprintf(a.stdout, "\nBy the noise that %s found:\n", from)
	t := report.Table{Columns: []report.Column{{Title: "Effect", Right: true}}}
	for _, p := range powers {
		fmt.Fprintln(a.stdout, sees(p, plan.Unit))
		t.Columns = append(t.Columns, report.Column{Title: p.Workload + " takes", Right: true})
	}
	for i, wanted := range verdict.Wanted {
		row := []string{share(wanted)}
		for _, p := range powers {
			row = append(row, takes(p.Needs[i], plan.Unit))
		}
		t.Rows = append(t.Rows, row)
	}
	fmt.Fprintln(a.stdout)
	t.Text(a.stdout)
	fmt.Fprintln(a.stdout, "\nEach is what the median trial finds: half of them miss it. One half as large\nagain is found in four of five or more.")
}

// sees says what the planned units can see.
func sees(p verdict.Power, unit string) string {
	text := fmt.Sprintf("  %s: pairs of %ss differ by %s; the planned %s see ", p.Workload, unit, share(p.PairSD), things(p.Units, unit))
	if p.Effect == 0 {
		return text + "nothing: they are too few for a verdict"
	}
	return text + share(p.Effect)
}

// takes is the units that an effect takes, and the time of the whole experiment.
func takes(n verdict.Need, unit string) string {
	if n.Units == 0 {
		return "too long"
	}
	return fmt.Sprintf("%s, %s", things(n.Units, unit), about(time.Duration(n.Seconds*float64(time.Second))))
}

func share(s float64) string { return fmt.Sprintf("%.2g %%", 100*s) }
