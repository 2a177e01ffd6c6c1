package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"plinth/internal/record"
	"plinth/internal/report"
)

func (a *app) showCommand() *cobra.Command {
	var (
		format  string
		threads int
		asJSON  bool
	)
	cmd := &cobra.Command{
		Use:   "show [RECORD]",
		Short: "Print the tables of a record",
		Long: `Print the tables of a record: for each environment the published form (clients
against workloads), the combined summary, and the dataset as loaded. RECORD is a
path, a name in the store, the beginning of one, or "latest".` + exitHelp(exitDone, exitUsage),
		Example: `  plinth show latest
  plinth show storage-baseline --threads 4
  plinth show latest --format gobench > new.txt   # for benchstat`,
		Args: atMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := errors.Join(noneEmpty(cmd.Flags()), oneFormat(cmd.Flags())); err != nil {
				return &usageError{err}
			}
			if asJSON {
				format = "json"
			}
			rec, err := a.open(args)
			if err != nil {
				return err
			}
			if err := report.Write(a.stdout, rec, format, report.Options{Threads: threads, Width: a.width()}); err != nil {
				return &usageError{err}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text, markdown, csv, json, or gobench (for benchstat)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "same as --format json")
	cmd.Flags().IntVar(&threads, "threads", 0, "only the cells with `N` threads, not the mean over all")
	return cmd
}

// open finds and reads the record that the arguments name, the latest unless said.
func (a *app) open(args []string) (*record.Record, error) {
	name := "latest"
	if len(args) == 1 {
		name = args[0]
	}
	path, err := record.Find(a.store, name)
	if err != nil {
		return nil, &usageError{err}
	}
	rec, err := record.Open(path)
	if err != nil {
		return nil, &usageError{err}
	}
	return rec, nil
}
