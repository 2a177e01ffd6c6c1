package records

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"plinth/internal/cli/base"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/imported"
	"plinth/internal/report/imports"
	"plinth/internal/runner"
)

type importFlags struct {
	as          string
	environment string
	facts       []string
	output      string
	json        bool
}

func (f *importFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.as, "as", "", "read all files as one `KIND`, such as pgbench (default: by content)")
	flags.StringVar(&f.environment, "environment", "", "`NAME` of the environment of all files (default: by directory)")
	flags.StringArrayVar(&f.facts, "facts", nil, "a `KEY=VALUE` that the files do not state; may be repeated")
	flags.StringVar(&f.output, "output", "", "write the model of a disk to this `FILE`, or none (default: ENVIRONMENT.device.yaml)")
	flags.BoolVar(&f.json, "json", false, "print what was read as JSON")
}

func (a *app) importCommand() *cobra.Command {
	var flags importFlags
	cmd := &cobra.Command{
		Use:   "import FILE|DIRECTORY...",
		Short: "Import the output of other benchmark tools as a record",
		Long: `Make a record from the output of other tools. plinth show, compare, report and diagnose
accept it like any other record, and mark its numbers as imported.

Each file is recognised by its content: a file may hold the output of several tools,
and may be Markdown. plinth says what it read, what contradicts itself, and which
lines it did not understand. "-" reads standard input; files may be compressed (gzip).

` + kindsHelp() + `

Each directory is an environment; if only one is given, each directory in it. A table
of results names the environment of each row. Readings beside a run (iostat,
pg_stat_*) become part of the run if both have times that overlap; others are listed
as facts whose time is not known. If fio measured single reads and writes of a page,
plinth writes the model of the disk to a file, as plinth probe does.

--facts adds what you know: instance=i4i.large is shown on the page, with the
environment. These are used as well:

  started=TIME       when the load of the only run began: 2026-01-03T15:07:40Z
  timezone=ZONE      of times without a zone: UTC, +02:00, Europe/Berlin
  clients=N          of runs whose output lacks the number of clients
  cpus=N             of the server, for plinth predict

There is a verdict only if the runs of the environments are known to have alternated.` +
			base.ExitHelp(base.ExitDone, base.ExitFailed, base.ExitUsage),
		Example: `  plinth import pgbench.txt
  plinth import results/nvme results/gp3 && plinth compare latest
  plinth import --environment prod --facts instance=m6i.large run1/
  pgbench -c 16 -T 60 -P 1 bench 2>&1 | plinth import -`,
		Args: func(cmd *cobra.Command, args []string) error {
			return base.Usage(hint.Wrap(cobra.MinimumNArgs(1)(cmd, args), cmd.UseLine()))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := base.NoneEmpty(cmd.Flags()); err != nil {
				return base.Usage(err)
			}
			a.OnStop(stopImporting)
			return a.importFiles(cmd.Context(), args, flags)
		},
	}
	flags.register(cmd.Flags())
	return cmd
}

// stopImporting is the message at Ctrl-C.
const stopImporting = "no record is written"

// kindsHelp lists the kinds of files.
func kindsHelp() string {
	var lines []string
	for _, kind := range imported.Kinds() {
		lines = append(lines, fmt.Sprintf("  %-18s %s", kind.Name, kind.Title))
	}
	return strings.Join(lines, "\n")
}

func (a *app) importFiles(ctx context.Context, paths []string, flags importFlags) error {
	options, err := flags.options(paths, os.Stdin)
	if err != nil {
		return base.Usage(err)
	}
	view := a.View(false)
	defer view.End()
	begun := time.Now()
	options.Tell = func(p imported.Progress) {
		if elapsed := time.Since(begun); elapsed > time.Second {
			view.Status(importProgress(p, elapsed))
		}
	}
	out, err := imported.Read(ctx, options)
	view.End()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return base.Usage(err)
	}
	if err := oneModel(out, flags.output); err != nil {
		return base.Usage(err)
	}
	path := ""
	if len(out.Runs) > 0 {
		into := imported.Into{Store: a.Store, Version: a.Version, Command: base.Redacted(os.Args), Created: time.Now().UTC(), Sources: base.Redacted(paths)}
		if path, err = out.Write(into); err != nil {
			return err
		}
		defer fmt.Fprintf(a.Stderr, "\nrecord: %s\nnext:   plinth show %s\n", path, filepath.Base(path)) // whatever fails from here on
	}
	if flags.json {
		err = a.WriteJSON(imports.NewJSON(out, path))
	} else {
		_, err = io.WriteString(a.Stdout, imports.Outcome(out).Text(a.Width()))
	}
	if err != nil {
		return err
	}
	if err := a.writeDisks(out, flags.output); err != nil {
		return err
	}
	if path == "" {
		fmt.Fprintln(a.Stderr, "no record was written: these files contain no run of a load generator")
	}
	return nil
}

// oneModel refuses a file for the models of several disks.
func oneModel(out *imported.Outcome, file string) error {
	disks := slices.DeleteFunc(slices.Clone(out.Environments), func(name string) bool { return !out.HasDisk(name) })
	if file == "" || file == base.NoFile || len(disks) < 2 {
		return nil
	}
	return hint.Errorf("leave --output out, or import each by itself", "--output is one file, and there are disks of %s", strings.Join(disks, ", "))
}

// options returns the options of an import.
func (f importFlags) options(paths []string, stdin io.Reader) (imported.Options, error) {
	o := imported.Options{Paths: paths, Stdin: stdin, As: f.as, Environment: f.environment, Facts: map[string]string{}}
	if name := f.environment; name != "" && !experiment.ValidName.MatchString(name) {
		return o, hint.Errorf("use lower-case letters, digits, hyphens and dots, at most 63", "--environment: %q is not a valid name", name)
	}
	for _, fact := range f.facts {
		key, value, found := strings.Cut(fact, "=")
		if !found || key == "" || value == "" {
			return o, hint.Errorf("write KEY=VALUE: --facts instance=m6i.large", "--facts: %q is not a fact", fact)
		}
		o.Facts[key] = value
	}
	return o, nil
}

// importProgress is the progress of an import.
func importProgress(p imported.Progress, elapsed time.Duration) runner.Status {
	s := runner.Status{Step: "reading", Detail: p.File}
	if p.Size > 0 && p.Done > 0 {
		share := min(1, float64(p.Done)/float64(p.Size))
		s.Detail += fmt.Sprintf(", %.0f %%, %s", 100*share, base.Left(time.Duration(float64(elapsed)*(1/share-1))))
	}
	return s
}

// writeDisks writes the models of the disks that were measured, one for each environment. It says why
// there is none.
func (a *app) writeDisks(out *imported.Outcome, path string) error {
	var errs []error
	for _, environment := range out.Environments {
		if !out.HasDisk(environment) || path == base.NoFile {
			continue
		}
		d, err := out.Device(environment)
		if err != nil {
			fmt.Fprintf(a.Stderr, "no model of the disk of %s: %v\n", environment, err)
			continue
		}
		errs = append(errs, a.WriteDevice(d, path))
	}
	return errors.Join(errs...)
}
