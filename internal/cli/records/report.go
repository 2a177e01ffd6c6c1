package records

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"plinth/internal/cli/base"
	"plinth/internal/cli/pages"
)

func (a *app) reportCommand() *cobra.Command {
	var flags pages.Options
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
cell=c8-j1, effect=p99, scale=share, cost=p99.` + base.ExitHelp(base.ExitDone, base.ExitFailed, base.ExitUsage),
		Example: `  plinth report latest
  plinth report latest -o wal.html
  plinth report latest --format markdown >> "$GITHUB_STEP_SUMMARY"
  plinth report latest --format svg --figure verdicts -o verdicts.svg
  plinth report latest --format svg --figure percentiles --choose cell=c8-j1 > p.svg
  plinth report latest --format svg --figure timeline --run worst > worst.svg`,
		Args: base.AtMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			base.EndAtOnce()
			if err := errors.Join(base.NoneEmpty(cmd.Flags()), flags.Check()); err != nil {
				return base.Usage(err)
			}
			return a.report(args, flags)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&flags.Output, "output", "o", "", "the `FILE` to write; - for standard output")
	f.StringVar(&flags.Format, "format", "html", "html, markdown, or svg (with --figure)")
	f.StringVar(&flags.Figure, "figure", "", "with --format svg: the `NAME` of the figure")
	f.StringVar(&flags.Run, "run", "", "with --figure timeline or heatmap: the `RUN`, as for plinth show --run")
	f.StringArrayVar(&flags.Choose, "choose", nil, "with --figure: its variant, `KEY=VALUE`")
	return cmd
}

func (a *app) report(args []string, flags pages.Options) error {
	rec, err := base.OpenRecord(a.Store, args)
	if err != nil {
		return err
	}
	content, err := pages.Report(rec, flags)
	if err != nil {
		return base.Usage(err)
	}
	switch name := flags.Output; {
	case name == "-", name == "" && flags.Format != "html":
		_, err = a.Stdout.Write(content)
		return err
	case name == "":
		flags.Output = filepath.Join(rec.Path, pages.Files["html"])
	}
	if err := pages.Write(flags.Output, content); err != nil {
		return err
	}
	fmt.Fprintln(a.Stderr, "report: "+flags.Output)
	return nil
}
