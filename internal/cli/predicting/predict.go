package predicting

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"plinth/internal/cli/base"
	"plinth/internal/device"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/prediction"
	"plinth/internal/prediction/demand"
	"plinth/internal/record"
	"plinth/internal/report/predicted"
	"plinth/internal/unit"
)

type predictFlags struct {
	environment string
	workload    string
	device      string
	wal         string
	from        string
	clients     int
	cpus        int
	speed       float64
	instance    string
	fromType    string
	memory      string
	set         []string
	whatIf      string
	experiment  bool
	format      string
	json        bool
}

const predictLong = `Predict what a measured workload would do on another disk, with more or fewer
clients, with other CPUs or another cache: throughput and latency, each with a 90 %
interval, and the bottleneck. What a transaction needs (CPU time, WAL, reads, row
locks) is taken from the runs of one environment; both disks are simulated, and the
ratio is applied to the measurement. For Redis and Valkey, the disk is that of the
append-only file.

RECORD is a path, a name in the store, the beginning of such a name, or "latest". The
reference is the baseline, or --environment. Its disk must be known: emulated, or
named in the experiment with is:, or here with --from-device. With --clients,
predictions are made from the measured number of clients that is closest.

Imported runs lack the CPU time of a transaction. plinth assumes it, says so in the
prediction, and widens the interval.

DEVICE is a name from plinth devices or a model file, such as plinth probe writes,
and may be followed by iops=N and throughput=RATE: gp3,iops=6000.

--what-if KEY=FROM..TO predicts twelve values from FROM to TO; KEY=A,B,C predicts
exactly these. Both show where the knee is. KEY is iops, throughput or latency (of a
durable write) of the data disk, or clients, cpus, memory or shared_buffers. Measured
environments of the record that differ only in their IOPS are shown next to them.

--cpus limits the server to N CPUs of the machine, or gives the machine more.
--cpu-speed says that each is RATIO times as fast. --instance takes both from the
catalog: the vCPUs of TYPE, and its result of CoreMark in proportion to that of
--from-instance, on which the reference was measured. The interval is then wider.
Memory, network and the limits on EBS volumes are not those of TYPE.
--memory and --set shared_buffers=SIZE need environments of the record that differ in
that size alone: how often reads miss is interpolated between them.

What cannot be predicted is refused, with the reason and the run that would help.

--experiment writes the experiment that is closest to what is asked for on the
machine of the reference: with as many clients, with caches of that size, and on the
disk, if it can be emulated. Predictions from its runs have narrower intervals.`

func (a *app) predictCommand() *cobra.Command {
	var flags predictFlags
	cmd := &cobra.Command{
		Use:   "predict [RECORD]",
		Short: "Predict what a measured workload would do on another disk or machine",
		Long:  predictLong + base.ExitHelp(base.ExitDone, base.ExitUsage),
		Example: `  plinth predict latest --device gp3
  plinth predict latest --environment disk --workload tpcb-like --device io2,iops=8000
  plinth predict latest --wal-device local-nvme.yaml
  plinth predict latest --device gp3 --clients 32
  plinth predict latest --cpus 4 --cpu-speed 1.3
  plinth predict imported-run --from-device io2 --device gp3
  plinth predict latest --device gp3 --what-if iops=250..4000 --clients 16
  plinth predict latest --what-if iops=250..4000 --format svg > iops.svg
  plinth predict latest --device gp3 --clients 64 --experiment > closer.yaml`,
		Args: func(cmd *cobra.Command, args []string) error {
			return base.Usage(hint.Wrap(cobra.MaximumNArgs(1)(cmd, args), cmd.UseLine()))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			base.EndAtOnce()
			if err := errors.Join(base.NoneEmpty(cmd.Flags()), base.OneFormat(cmd.Flags()), flags.checkCPUs(cmd.Flags())); err != nil {
				return base.Usage(err)
			}
			if flags.json {
				flags.format = "json"
			}
			if flags.experiment {
				if err := flags.checkExperiment(); err != nil {
					return base.Usage(err)
				}
			}
			return base.Usage(a.predict(args, flags))
		},
	}
	flags.add(cmd)
	return cmd
}

func (flags *predictFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&flags.environment, "environment", "", "predict from the runs of `ENVIRONMENT` (default: the baseline)")
	f.StringVar(&flags.workload, "workload", "", "only `WORKLOAD`")
	f.StringVar(&flags.device, "device", "", "the data, and the WAL if it has no disk of its own, on `DEVICE`")
	f.StringVar(&flags.from, "from-device", "", "the reference ran on `DEVICE`, if its record does not name the disk")
	f.StringVar(&flags.wal, "wal-device", "", "the WAL on a `DEVICE` of its own")
	f.IntVar(&flags.clients, "clients", 0, "with `N` clients")
	f.IntVar(&flags.cpus, "cpus", 0, "with `N` CPUs of the same kind for the server")
	f.Float64Var(&flags.speed, "cpu-speed", 0, "with CPUs that are `RATIO` times as fast")
	f.StringVar(&flags.instance, "instance", "", "with the CPUs of the cloud instance `TYPE`, such as m7g.large")
	f.StringVar(&flags.fromType, "from-instance", "", "the reference was measured on an instance of `TYPE`")
	f.StringVar(&flags.memory, "memory", "", "with a memory limit of `SIZE`")
	f.StringArrayVar(&flags.set, "set", nil, "with shared_buffers=SIZE")
	f.StringVar(&flags.whatIf, "what-if", "", "predict `KEY=VALUES`: iops=250..4000, clients=4,8,16")
	f.BoolVar(&flags.experiment, "experiment", false, "write the experiment that is closest to what is asked for")
	base.FormatFlags(cmd, &flags.format, &flags.json)
	f.Lookup("format").Usage = "text, markdown or json; with --what-if also svg"
}

func (f predictFlags) check() error {
	switch {
	case !slices.Contains(predicted.Formats, f.format):
		return hint.Errorf(hint.DidYouMean(f.format, predicted.Formats, "it can be "+hint.Choice(predicted.Formats)), "--format: unknown format %q", f.format)
	case f.format == "svg" && f.whatIf == "":
		return hint.Errorf("add --what-if iops=250..4000, for example", "--format svg requires --what-if: only a range of values is plotted")
	case f.device == "" && f.wal == "" && f.clients == 0 && f.cpus == 0 && f.speed == 0 && f.instance == "" && f.fromType == "" && f.memory == "" && len(f.set) == 0 && f.whatIf == "":
		return hint.Errorf("add --device gp3, for example; plinth devices lists the disks", "nothing to predict: none of --device, --wal-device, --clients, --cpus, --cpu-speed, --instance, --memory, --set and --what-if is given")
	}
	return nil
}

func (a *app) predict(args []string, flags predictFlags) error {
	if err := flags.check(); err != nil {
		return err
	}
	q, change, err := flags.question()
	if err != nil {
		return err
	}
	rec, err := base.OpenRecord(a.Store, args)
	if err != nil {
		return err
	}
	environment := cmp.Or(flags.environment, rec.Summary.Baseline)
	if err := base.CheckEnvironment(rec, environment); err != nil {
		return err
	}
	if err := nameDisk(rec, environment, flags.from); err != nil {
		return err
	}
	if flags.instance != "" {
		moved, err := flags.onInstance(&q, rec, environment)
		if err != nil {
			return err
		}
		change = strings.TrimPrefix(change+", "+moved, ", ")
	}
	cells, err := flags.cells(rec, environment)
	if err != nil {
		return err
	}
	if flags.experiment {
		return a.writeCloser(rec, environment, cells, q, flags)
	}
	basis := rec.Environments[environment].Basis()
	r := predicted.Report{Record: filepath.Base(rec.Path), Engine: rec.Summary.Engine, Environment: environment, Emulated: basis == "emulated", Imported: basis == record.BasisImported, Change: change, Cells: []predicted.Cell{}}
	if flags.whatIf != "" {
		r.Swept, err = sweep(rec, environment, cells, q, flags.whatIf)
	} else {
		r.Cells, err = predictCells(rec, environment, cells, q)
	}
	if err != nil {
		return err
	}
	return predicted.Write(a.Stdout, r, flags.format, a.Width())
}

// question returns what is asked, and the same in words.
func (f predictFlags) question() (q prediction.Question, change string, err error) {
	var words []string
	for _, one := range []struct {
		flag, text, words string
		to                **device.Device
	}{{"--device", f.device, "data on ", &q.Data}, {"--wal-device", f.wal, "WAL on ", &q.WAL}} {
		if one.text == "" {
			continue
		}
		if *one.to, err = parseDevice(one.text); err != nil {
			return q, "", hint.Wrap(fmt.Errorf("%s: %w", one.flag, err), hint.Of(err))
		}
		words = append(words, one.words+one.text)
	}
	if q.Clients = f.clients; f.clients > 0 {
		words = append(words, unit.Count(f.clients, "client"))
	}
	if q.CPUs = f.cpus; f.cpus > 0 {
		words = append(words, unit.Count(f.cpus, "CPU"))
	}
	if q.CPUSpeed = f.speed; f.speed > 0 {
		words = append(words, fmt.Sprintf("CPUs %.4g times as fast", f.speed))
	}
	caches, err := f.caches(&q)
	if err != nil {
		return q, "", err
	}
	words = append(words, caches...)
	if f.whatIf != "" {
		words = append(words, f.whatIf)
	}
	return q, strings.Join(words, ", "), nil
}

// caches reads the sizes of caches, and returns them in words.
func (f predictFlags) caches(q *prediction.Question) (words []string, err error) {
	if f.memory != "" {
		size, err := unit.ParseSize(f.memory)
		if err != nil {
			return nil, fmt.Errorf("--memory: %w", err)
		}
		if size <= 0 {
			return nil, hint.Errorf("leave it out for the memory of the reference", "--memory must be positive")
		}
		q.Memory = int64(size)
		words = append(words, f.memory+" of memory")
	}
	for _, set := range f.set {
		key, value, _ := strings.Cut(set, "=")
		if key != string(prediction.SharedBuffers) {
			return nil, hint.Errorf("measure it: add an environment with settings: {"+key+": "+cmp.Or(value, "VALUE")+"}",
				"--set: cannot predict the effect of %s, only that of shared_buffers", key)
		}
		if q.SharedBuffers > 0 {
			return nil, hint.Errorf("give it once", "--set: %s is given more than once", key)
		}
		if q.SharedBuffers, err = prediction.BufferSize(value); err != nil {
			return nil, fmt.Errorf("--set: %s: %w", key, err)
		}
		if q.SharedBuffers <= 0 {
			return nil, hint.Errorf("leave it out for the size of the reference", "--set: %s must be positive", key)
		}
		words = append(words, key+" = "+value)
	}
	return words, nil
}

// cells returns the measured cells of an environment from which predictions are made: all, or, for a number of
// clients, the closest of each workload.
func (f predictFlags) cells(rec *record.Record, environment string) (all []experiment.Cell, err error) {
	var workloads []string
	for _, run := range rec.Runs {
		if run.Environment != environment || run.Status != record.Valid || run.Rate > 0 || slices.Contains(all, run.Cell) {
			continue
		}
		if !slices.Contains(workloads, run.Workload) {
			workloads = append(workloads, run.Workload)
		}
		if f.workload == "" || run.Workload == f.workload {
			all = append(all, run.Cell)
		}
	}
	if len(all) == 0 {
		return nil, f.noRun(rec, environment, workloads)
	}
	slices.SortFunc(all, record.CompareCells)
	if f.clients == 0 {
		return all, nil
	}
	distance := func(c experiment.Cell) float64 { return math.Abs(math.Log(float64(c.Clients) / float64(f.clients))) }
	closest := map[string]experiment.Cell{}
	for _, c := range all {
		if best, found := closest[c.Workload]; !found || distance(c) < distance(best) {
			closest[c.Workload] = c
		}
	}
	return slices.SortedFunc(maps.Values(closest), record.CompareCells), nil
}

// noRun says why an environment, of which some workloads were measured, has no run to predict from.
func (f predictFlags) noRun(rec *record.Record, environment string, workloads []string) error {
	if len(workloads) > 0 {
		return hint.Errorf(hint.DidYouMean(f.workload, workloads, "measured workloads: "+hint.Choice(workloads)), "%s has no valid run of %s", environment, f.workload)
	}
	has := func(is func(record.Run) bool) bool {
		return slices.ContainsFunc(rec.Runs, func(r record.Run) bool { return r.Environment == environment && is(r) })
	}
	switch {
	case has(func(r record.Run) bool { return r.Status == record.Valid }):
		return hint.Errorf("predict from a run without rate", "all valid runs of %s had a fixed rate, which does not show how fast it could be", environment)
	case has(func(record.Run) bool { return true }):
		return hint.Errorf("plinth show says why its runs are invalid; plinth run --resume repeats them", "%s has no valid run", environment)
	}
	return hint.Errorf("plinth show lists what was measured", "%s has no runs", environment)
}

// predictCells predicts each cell. A cell that is refused is listed; if all are, the first refusal is the error.
func predictCells(rec *record.Record, environment string, cells []experiment.Cell, q prediction.Question) (all []predicted.Cell, err error) {
	var first error
	for _, cell := range cells {
		one := predicted.Cell{Cell: cell}
		p, measured, err := predictCell(rec, environment, cell, q)
		if err != nil {
			first = cmp.Or(first, err)
			one.Refused, one.Hint = err.Error(), hint.Of(err)
		} else {
			one.Prediction, one.Runs = &p, len(measured.Runs)
			one.TPS = measured.Mean(func(r demand.Run) float64 { return r.TPS })
			one.Mean = measured.Mean(func(r demand.Run) float64 { return r.Mean })
			one.P50 = measured.Mean(func(r demand.Run) float64 { return r.P50 })
			one.P95 = measured.Mean(func(r demand.Run) float64 { return r.P95 })
			one.P99 = measured.Mean(func(r demand.Run) float64 { return r.P99 })
		}
		all = append(all, one)
	}
	if !slices.ContainsFunc(all, func(c predicted.Cell) bool { return c.Prediction != nil }) {
		return nil, first
	}
	return all, nil
}

func predictCell(rec *record.Record, environment string, cell experiment.Cell, q prediction.Question) (p prediction.Prediction, c demand.Cell, err error) {
	ref, err := prediction.Of(rec, environment, cell)
	if err != nil {
		return p, c, err
	}
	if q.Memory > 0 || q.SharedBuffers > 0 {
		ref.Learn(rec)
	}
	if p, err = ref.Predict(q); err != nil {
		return p, c, err
	}
	if len(ref.Assumed) == 0 { // of CPU time that is assumed, it is not known what binds
		p.Doubled, err = ref.Doubled(q)
	}
	return p, ref.Cell, err
}
