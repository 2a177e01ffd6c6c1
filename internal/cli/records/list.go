package records

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"plinth/internal/cli/base"
	"plinth/internal/experiment/builtin"
	"plinth/internal/prose"
	"plinth/internal/published"
	"plinth/internal/record"
	"plinth/internal/record/index"
)

func (a *app) listCommand() *cobra.Command {
	var asJSON, publications bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List built-in experiments and the records in the store",
		Long: `List the built-in experiments with their questions, and the records in the store,
newest first.

--published lists the publications behind the built-in experiments instead: each of
their tables and claims, the command that redoes it, and what it found; and the
published figures that contradict each other.` + base.ExitHelp(base.ExitDone, base.ExitUsage),
		Example: "  plinth list\n  plinth list --store /srv/benchmarks --json\n  plinth list --published",
		Args:    base.None,
		RunE: func(*cobra.Command, []string) error {
			base.EndAtOnce()
			if publications {
				return a.listPublished(asJSON)
			}
			entries, err := index.List(a.Store)
			if err != nil {
				return base.Usage(err)
			}
			if asJSON && entries == nil {
				entries = []index.Entry{}
			}
			if asJSON {
				return a.WriteJSON(listing{builtin.All(), entries})
			}
			return a.list(entries)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	cmd.Flags().BoolVar(&publications, "published", false, "list published claims and what retesting them found")
	return cmd
}

func (a *app) listPublished(asJSON bool) error {
	list, err := published.Load()
	if err != nil {
		return err
	}
	if asJSON {
		return a.WriteJSON(list)
	}
	_, err = io.WriteString(a.Stdout, list.Text(a.Width()))
	return err
}

// listing is the JSON output of list.
type listing struct {
	BuiltIn []builtin.Info `json:"built_in"`
	Records []index.Entry  `json:"records"`
}

// longestInList is the number of characters after which a question is cut in the list.
const longestInList = 400

func (a *app) list(entries []index.Entry) error {
	fmt.Fprintln(a.Stdout, "Built-in experiments (plinth run NAME)")
	builtins, longest := builtin.All(), 0
	for _, b := range builtins {
		longest = max(longest, len(b.Name))
	}
	for _, b := range builtins {
		fmt.Fprint(a.Stdout, prose.Hanging(fmt.Sprintf("  %-*s ", longest+1, b.Name), b.Question, a.Width()))
	}
	fmt.Fprintf(a.Stdout, "\nRecords in %s\n", a.Store)
	if len(entries) == 0 {
		fmt.Fprintln(a.Stdout, "  none yet; start with: plinth run")
	}
	for _, e := range entries {
		fmt.Fprintf(a.Stdout, "  %s\n", prose.Clean(e.Name))
		for _, text := range []string{describeEntry(e, runsOnDisk(e)), e.Question} {
			if text != "" {
				fmt.Fprint(a.Stdout, prose.Hanging("      ", prose.Cut(text, longestInList), a.Width()))
			}
		}
	}
	return nil
}

// describeEntry describes the state of a record in one line. If there are more runs on disk than
// its summary counts, it gives their number.
func describeEntry(e index.Entry, onDisk int) string {
	switch {
	case e.Later:
		return "newer: " + e.Damage
	case e.Damage != "":
		return "damaged: " + e.Damage
	}
	parts := []string{string(e.State)}
	bad := e.Counts.Invalid + e.Counts.Failed
	if onDisk > e.Counts.Valid+bad {
		return fmt.Sprintf("%s, %d of %d runs recorded", e.State, onDisk, e.Planned)
	}
	if e.Counts.Valid > 0 {
		noun := "valid runs"
		if e.Counts.Valid == 1 {
			noun = "valid run"
		}
		parts = append(parts, fmt.Sprintf("%d %s", e.Counts.Valid, noun))
	}
	if bad > 0 {
		parts = append(parts, fmt.Sprintf("%d not valid", bad))
	}
	return strings.Join(parts, ", ")
}

// runsOnDisk counts the runs of an incomplete record without reading them: a plinth that was
// killed has not counted all of them in the summary.
func runsOnDisk(e index.Entry) int {
	if e.State == record.Complete || e.Damage != "" {
		return 0
	}
	files, _ := fs.Glob(os.DirFS(e.Path), "runs/*/*/*/*/run.json") // the pattern is valid
	return len(files)
}
