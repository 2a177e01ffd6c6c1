package tuning

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"plinth/internal/cli/base"
	"plinth/internal/cli/pages"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/knob"
	"plinth/internal/profile"
	"plinth/internal/report/searching"
	"plinth/internal/runner"
	"plinth/internal/search"
	"plinth/internal/search/here"
	"plinth/internal/search/study"
	"plinth/internal/unit"
)

// searchFlags holds the flags of plinth tune search.
type searchFlags struct {
	sets      []string
	quick     bool
	base      string // the environment
	limit     string
	objective string
	start     string
	layers    []string
	restarts  string
	risks     []string
	seed      uint64
	resume    string
	dryRun    bool
	json      bool
	quiet     bool
	serve     bool
}

func (a *app) tuneSearchCommand() *cobra.Command {
	var flags searchFlags
	cmd := &cobra.Command{
		Use:   "search [FILE|NAME]",
		Short: "Search for values that are better for a workload on this machine",
		Long: `Search for a tuning of an experiment's baseline that is better for its workload on
this machine. The search goes in rounds. Each is an experiment whose environments have
various choices of up to 11 changes, so that every run says something about every
change. What helps is kept; what is uncertain is tried again. At the end, what was found
is compared with where the search began, with the server's defaults and with other
advice, on newly loaded data that the search has not used: only that decides.

A search never weakens durability, changes only the layers that --layers allows (the
machine only if the experiment has allow_host: true), and puts everything back. With
--resume, an interrupted search goes on. If something better was found and confirmed, it
is in found.yaml, for plinth tune apply.` +
			base.ExitHelp(base.ExitDone, base.ExitFailed, base.ExitUsage, base.ExitPutBack, base.ExitMachineChanged, base.ExitInterrupted),
		Example: `  plinth tune search orders.yaml --for 2h
  plinth tune search orders.yaml --for 1h --start pgtune --objective p99
  plinth tune search orders.yaml --for 2h --restarts no --dry-run
  plinth tune search --resume results/search-orders-20260301T101500Z`,
		Args:        base.AtMostOne,
		Annotations: map[string]string{base.WritesDirectory: ""},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := base.Usage(errors.Join(base.NoneEmpty(cmd.Flags()), flags.checkResume(cmd.Flags()))); err != nil {
				return err
			}
			return a.tuneSearch(cmd.Context(), args, flags)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&flags.sets, "set", nil, "override `KEY=VALUE` of the experiment: duration=20s")
	f.BoolVar(&flags.quick, "quick", false, "use the experiment's short form")
	f.StringVar(&flags.base, "environment", "", "`NAME` of the environment to tune (default: the baseline)")
	f.StringVar(&flags.limit, "for", "2h", "`TIME` that the search may take, its confirmation included")
	f.StringVar(&flags.objective, "objective", "", "`METRIC` to improve: tps, latency, p50, p95, p99 or p99.9 (default: the experiment's metric)")
	f.StringVar(&flags.start, "start", "", "`PROFILE` or file where the search begins, or default for none (default: the environment's tuning, or plinth's own profile)")
	f.StringSliceVar(&flags.layers, "layers", nil, "`LAYERS` that may be changed: server, kernel, block, mount (default: all that the experiment allows)")
	f.StringVar(&flags.restarts, "restarts", "yes", "`yes` or no: whether to try values that take effect only after a server restart")
	f.StringSliceVar(&flags.risks, "risks", nil, "`RISKS` that a value may have: recovery, memory, later, queries; or none (default: all)")
	f.Uint64Var(&flags.seed, "seed", 0, "seed of the search (default: chosen at random and recorded)")
	f.StringVar(&flags.resume, "resume", "", "continue the search in `DIR`")
	f.BoolVar(&flags.dryRun, "dry-run", false, "print what would be tried and how long it takes; start nothing")
	f.BoolVar(&flags.json, "json", false, "print the result as JSON")
	f.BoolVar(&flags.serve, "serve", false, "show the search live in the browser while it runs")
	f.BoolVarP(&flags.quiet, "quiet", "q", false, "show no progress")
	return cmd
}

func (a *app) tuneSearch(ctx context.Context, args []string, flags searchFlags) error {
	view := a.View(flags.quiet)
	machine := &here.Machine{View: view, Options: runner.Options{
		Source: "plinth tune search", Version: a.Version, Hurry: a.Hurry, Command: base.Redacted(os.Args), Overlooked: base.Overlooked,
	}}
	var err error
	if machine.Options.Directory, err = os.Getwd(); err != nil {
		return fmt.Errorf("cannot determine the current directory: %w", err)
	}
	if err := base.EnoughFiles(); err != nil {
		return err
	}
	a.OnStop(base.StopLooking)
	if flags.dryRun && flags.serve {
		return base.Usage(hint.Errorf("leave one of them out", "--dry-run starts no search for --serve to show"))
	}
	if !flags.dryRun { // what a crash left behind may prevent what can be tried
		if err := a.CleanBefore(ctx, view); err != nil {
			return err
		}
	}
	s, err := a.openSearch(ctx, args, flags, machine)
	if err != nil {
		return base.Ended(ctx, err)
	}
	if flags.dryRun {
		return searching.WritePlan(a.Stdout, s, searchFormat(flags.json), a.Width())
	}
	machine.Options.Store, machine.Left, machine.Tick = filepath.Join(s.Dir(), study.Records), s.Left, s.Tick
	s.Saved = func(now study.State) error { return writeSearchPage(s.Dir(), now) }
	fmt.Fprintf(a.Stderr, "search: %s\npage:   %s\n", s.Dir(), filepath.Join(s.Dir(), searchPage))
	if flags.serve {
		server, err := pages.ServeBeside(a.App, machine.Options.Store)
		if err != nil {
			return err
		}
		defer server.Stop()
		fmt.Fprintln(a.Stderr, "live:   "+server.URL("")+"search")
	}
	stop := fmt.Sprintf("continue with %s tune search --resume %s", os.Args[0], s.Dir())
	a.OnStop(stop)
	failed := s.Run(ctx)
	view.End()
	err = searching.Write(a.Stdout, s.State, searchFormat(flags.json), a.Width())
	if failed == nil && s.Confirmation != nil && s.Confirmation.Better && !flags.quiet {
		fmt.Fprintf(a.Stderr, "profile: %s\nnext:    %[2]s tune plan %[1]s\n         %[2]s run %[3]s\n", filepath.Join(s.Dir(), study.Found), os.Args[0], filepath.Join(s.Dir(), study.Ablation))
	}
	return errors.Join(failed, err)
}

// searchPage is the page of a search, in its directory. It is written again after each round.
const searchPage = "search.html"

func writeSearchPage(dir string, now study.State) error {
	if err := pages.Replace(filepath.Join(dir, searchPage), pages.PageOf(now).HTML(), 0o644); err != nil {
		return fmt.Errorf("cannot write the page of the search: %w", err)
	}
	return nil
}

func searchFormat(asJSON bool) string {
	if asJSON {
		return "json"
	}
	return "text"
}

// checkResume refuses flags that a search that goes on would ignore.
func (f *searchFlags) checkResume(given *pflag.FlagSet) (err error) {
	if f.resume == "" {
		return nil
	}
	given.Visit(func(flag *pflag.Flag) {
		if !slices.Contains([]string{"resume", "json", "serve", "quiet", "store"}, flag.Name) && err == nil {
			err = hint.Errorf("leave --"+flag.Name+" out", "--resume continues a search with its original options")
		}
	})
	return err
}

// openSearch prepares a new search, or the one to go on with.
func (a *app) openSearch(ctx context.Context, args []string, flags searchFlags, machine study.Machine) (*study.Study, error) {
	if flags.resume != "" {
		if len(args) > 0 {
			return nil, base.Usage(hint.Errorf("leave the experiment out", "--resume continues a search with its original options"))
		}
		s, err := study.Open(flags.resume, machine)
		return s, base.Usage(err)
	}
	request, err := flags.request(args)
	if err != nil {
		return nil, base.Usage(err)
	}
	e, warnings, err := base.Load(request.Source, request.Sets)
	if err != nil {
		return nil, err
	}
	start, err := flags.prepare(e, &request)
	if err != nil {
		return nil, base.Usage(err)
	}
	s, err := study.New(ctx, e, start, request, a.Version, machine)
	if err == nil {
		for _, w := range warnings {
			s.Notes = append(s.Notes, w.Text)
		}
	}
	if err != nil || flags.dryRun {
		return s, base.Usage(err)
	}
	return s, s.Create(filepath.Join(a.Store, "search-"+e.Name+"-"+time.Now().UTC().Format("20060102T150405Z")))
}

// request returns what the flags ask for, apart from what depends on the experiment.
func (f *searchFlags) request(args []string) (study.Request, error) {
	r := study.Request{Source: base.Quickstart, Sets: f.sets, Restarts: f.restarts == "yes", Seed: f.seed}
	if len(args) == 1 {
		r.Source = args[0]
	}
	if f.quick {
		r.Sets = append([]string{"form=" + experiment.FormQuick}, r.Sets...)
	}
	takes, err := unit.ParseDuration(f.limit)
	if err != nil {
		return r, fmt.Errorf("--for: %w", err)
	}
	if f.restarts != "yes" && f.restarts != "no" {
		return r, hint.Errorf("use yes or no", "--restarts: unknown value %q", f.restarts)
	}
	if r.Refused, err = refused(f.risks); err != nil {
		return r, err
	}
	if r.Seed == 0 {
		var random [8]byte
		_, _ = rand.Read(random[:]) // never fails (crypto/rand)
		r.Seed = binary.LittleEndian.Uint64(random[:])>>11 + 1
	}
	r.For = study.Seconds(time.Duration(takes).Seconds())
	return r, nil
}

// refused returns the risks that are not among those that a value may have: none if all are.
func refused(may []string) ([]search.Risk, error) {
	if len(may) == 0 {
		return nil, nil
	}
	names := []string{"none"}
	for _, r := range search.Risks {
		names = append(names, string(r))
	}
	left := slices.Clone(search.Risks)
	for _, name := range may {
		name = strings.TrimSpace(name)
		if !slices.Contains(names, name) {
			return nil, hint.Errorf(hint.DidYouMean(name, names, "use "+hint.Choice(names)), "--risks: unknown risk %q", name)
		}
		if name == "none" && len(may) > 1 {
			return nil, hint.Errorf("leave none out", "--risks: none cannot be combined with other risks")
		}
		left = slices.DeleteFunc(left, func(r search.Risk) bool { return string(r) == name })
	}
	return left, nil
}

// prepare selects the environment to tune, and completes the request. It returns the tuning where the search begins.
func (f *searchFlags) prepare(e *experiment.Experiment, r *study.Request) ([]experiment.Tuning, error) {
	if f.base != "" {
		e.Baseline = f.base
	}
	i := slices.IndexFunc(e.Environments, func(env experiment.Environment) bool { return env.Name == e.Baseline })
	if i < 0 {
		var names []string
		for _, env := range e.Environments {
			names = append(names, env.Name)
		}
		return nil, hint.Errorf(hint.DidYouMean(f.base, names, "use one of "+hint.Choice(names)), "--environment: there is no environment %s", f.base)
	}
	r.Objective = cmp.Or(f.objective, e.Metric)
	var err error
	if r.Layers, err = f.allowed(e, e.Environments[i]); err != nil {
		return nil, err
	}
	own := e.Environments[i].Tuning
	switch {
	case f.start == "" && len(own) > 0:
		r.Start = e.Baseline
		return own, nil
	case f.start == "default":
		r.Start = f.start
		return nil, nil
	}
	r.Start = cmp.Or(f.start, ownProfile[e.Engine])
	if _, err := profile.Find(r.Start); err == nil {
		return []experiment.Tuning{{Name: r.Start}}, nil
	}
	p, err := readProfile(r.Start)
	if err != nil {
		return nil, tuneError(err)
	}
	return []experiment.Tuning{{Profile: p}}, nil
}

// allowed returns the layers that a search may change: those that the experiment allows, or some of them.
func (f *searchFlags) allowed(e *experiment.Experiment, env experiment.Environment) ([]knob.Layer, error) {
	existing := e.AllowHost && env.Storage.Data.Directory != ""
	can := map[knob.Layer]bool{knob.Server: true, knob.Kernel: e.AllowHost, knob.Block: existing, knob.Mount: existing}
	var layers []knob.Layer
	if len(f.layers) == 0 {
		for _, l := range study.Allowed {
			if can[l] {
				layers = append(layers, l)
			}
		}
		return layers, nil
	}
	var names []string
	for _, l := range study.Allowed {
		names = append(names, string(l))
	}
	for _, name := range f.layers {
		l := knob.Layer(strings.TrimSpace(name))
		switch {
		case !slices.Contains(study.Allowed, l):
			return nil, hint.Errorf(hint.DidYouMean(name, names, "use "+hint.Choice(names)), "--layers: a search does not change the layer %s", name)
		case !can[l] && (l == knob.Block || l == knob.Mount):
			what := map[knob.Layer]string{knob.Block: "the queue", knob.Mount: "the mount options"}[l]
			return nil, hint.Errorf("leave it out; a search changes "+what+" of an existing disk (storage: DIR) if the experiment has allow_host: true", "--layers %s: %s of this disk cannot be changed between runs", l, what)
		case !can[l]:
			return nil, hint.Errorf("add allow_host: true to the experiment, or --set allow_host=true", "--layers %s: the experiment does not allow changes to the machine", name)
		}
		layers = append(layers, l)
	}
	return layers, nil
}
