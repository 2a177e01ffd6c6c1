package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"plinth/internal/hint"
	"plinth/internal/page"
	"plinth/internal/record"
	"plinth/internal/report"
	"plinth/internal/report/runpage"
)

type reportFlags struct {
	output string
	format string
	figure string
	run    string
	choose []string
}

// reportFormats are the formats of a report, and the names of their files in a record.
var reportFormats = map[string]string{"html": "report.html", "markdown": "report.md", "svg": ""}

func (a *app) reportCommand() *cobra.Command {
	var flags reportFlags
	cmd := &cobra.Command{
		Use:   "report [RECORD]",
		Short: "Write the page of a record: one HTML file to share",
		Long: `Write the page of a record: one HTML file that holds all of it (tables, figures,
and runs second by second as far as there is room) and asks nobody for anything, so
that it can be opened from a mail or a CI artefact. Without -o it is report.html in
the record, which plinth run writes, too.

With --format markdown it is text for a pull request, with --format svg one figure
for a paper; both go to standard output unless -o says where. Figures are verdicts,
throughput, latency, p99, percentiles and order; with --run also timeline and
heatmap. --choose picks a form of them, as the lists in the page do: threads=4,
cell=c8-j1, effect=p99.` + exitHelp(exitDone, exitFailed, exitUsage),
		Example: `  plinth report latest
  plinth report latest -o wal.html
  plinth report latest --format markdown >> "$GITHUB_STEP_SUMMARY"
  plinth report latest --format svg --figure verdicts -o verdicts.svg
  plinth report latest --format svg --figure percentiles --choose cell=c8-j1 > p.svg
  plinth report latest --format svg --figure timeline --run worst > worst.svg`,
		Args: atMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := errors.Join(noneEmpty(cmd.Flags()), flags.check()); err != nil {
				return &usageError{err}
			}
			return a.report(args, flags)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&flags.output, "output", "o", "", "the `FILE` to write; - is standard output")
	f.StringVar(&flags.format, "format", "html", "html, markdown, or svg (with --figure)")
	f.StringVar(&flags.figure, "figure", "", "with --format svg: which figure, by `NAME`")
	f.StringVar(&flags.run, "run", "", "with --figure timeline or heatmap: which `RUN`, as plinth show --run finds it")
	f.StringArrayVar(&flags.choose, "choose", nil, "with --figure: which form of it, `KEY=VALUE`")
	return cmd
}

// runFigures are the figures of one run.
var runFigures = []string{"timeline", "heatmap"}

func (f reportFlags) check() error {
	_, known := reportFormats[f.format]
	ofRun := slices.Contains(runFigures, f.figure)
	switch {
	case !known:
		return hint.Errorf("one of html, markdown, svg", "there is no format %q", f.format)
	case f.format == "svg" && f.figure == "":
		return hint.Errorf("--figure verdicts, say: plinth report --help lists them", "svg is one figure, and none is named")
	case f.format != "svg" && f.figure != "":
		return hint.Errorf("--format svg", "--figure is for svg alone")
	case ofRun && f.run == "":
		return hint.Errorf("--run latest, best, worst, or its path", "%s is of one run, and none is named", f.figure)
	case f.run != "" && !ofRun:
		return hint.Errorf("--figure timeline or heatmap", "--run is for a figure of one run")
	case len(f.choose) > 0 && f.figure == "":
		return hint.Errorf("--format svg --figure NAME", "--choose is for a figure")
	}
	return nil
}

func (a *app) report(args []string, flags reportFlags) error {
	rec, err := a.open(args)
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

// reportOf makes what the flags ask for.
func reportOf(rec *record.Record, flags reportFlags) ([]byte, error) {
	switch {
	case flags.format == "html":
		p, err := page.New(rec)
		if err != nil {
			return nil, err
		}
		return p.HTML()
	case slices.Contains(runFigures, flags.figure):
		run, err := runpage.Find(rec, flags.run)
		if err != nil {
			return nil, err
		}
		return page.RunSVG(rec, run, flags.figure)
	}
	full, err := report.NewFull(rec, report.FullOptions{Brief: true})
	if err != nil {
		return nil, err
	}
	if flags.format == "markdown" {
		return []byte(full.Markdown()), nil
	}
	// Figures that a pull request has no room for are there all the same.
	if full, err = report.NewFull(rec, report.FullOptions{}); err != nil {
		return nil, err
	}
	svg, err := full.FigureSVG(flags.figure, flags.choose)
	return []byte(svg), err
}
