package cli

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"
)

func (a *recordsApp) reportCommand() *cobra.Command {
	var flags reportFlags
	cmd := &cobra.Command{
		Use:   "report [RECORD]",
		Short: "Write the page of a record: one HTML file to share",
		Long: `Write the page of a record: one self-contained HTML file (tables, figures, and the
per-second data of as many runs as fit) that loads nothing from the network, so that
it opens from an email or a CI artefact. Without -o, the file is report.html in the
record, which plinth run also writes.

--format markdown writes text for a pull request, --format svg one figure for a
paper; both go to standard output unless -o names a file. The figures are verdicts,
time, throughput, latency, p99, percentiles, cost and order; with --run also timeline
and heatmap. --choose selects a variant, as the lists in the page do: threads=4,
cell=c8-j1, effect=p99, scale=share, cost=p99.` + exitHelp(exitDone, exitFailed, exitUsage),
		Example: `  plinth report latest
  plinth report latest -o wal.html
  plinth report latest --format markdown >> "$GITHUB_STEP_SUMMARY"
  plinth report latest --format svg --figure verdicts -o verdicts.svg
  plinth report latest --format svg --figure percentiles --choose cell=c8-j1 > p.svg
  plinth report latest --format svg --figure timeline --run worst > worst.svg`,
		Args: atMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			endAtOnce()
			if err := errors.Join(noneEmpty(cmd.Flags()), flags.check()); err != nil {
				return usage(err)
			}
			return a.report(args, flags)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&flags.output, "output", "o", "", "the `FILE` to write; - for standard output")
	f.StringVar(&flags.format, "format", "html", "html, markdown, or svg (with --figure)")
	f.StringVar(&flags.figure, "figure", "", "with --format svg: the `NAME` of the figure")
	f.StringVar(&flags.run, "run", "", "with --figure timeline or heatmap: the `RUN`, as for plinth show --run")
	f.StringArrayVar(&flags.choose, "choose", nil, "with --figure: its variant, `KEY=VALUE`")
	return cmd
}

func (a *recordsApp) report(args []string, flags reportFlags) error {
	rec, err := openRecord(a.store, args)
	if err != nil {
		return err
	}
	content, err := reportOf(rec, flags)
	if err != nil {
		return usage(err)
	}
	switch name := flags.output; {
	case name == "-", name == "" && flags.format != "html":
		_, err = a.stdout.Write(content)
		return err
	case name == "":
		flags.output = filepath.Join(rec.Path, reportFormats["html"])
	}
	if err := writeReport(flags.output, content); err != nil {
		return err
	}
	fmt.Fprintln(a.stderr, "report: "+flags.output)
	return nil
}
