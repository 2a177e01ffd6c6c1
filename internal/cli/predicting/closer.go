package predicting

import (
	"errors"
	"fmt"
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/experiment/derive"
	"plinth/internal/hint"
	"plinth/internal/prediction"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
	"plinth/internal/unit"
)

// closest is the name of the environment, and of the experiment, that is closest to what is asked for.
const closest = "closer"

// fewestBlocks is the fewest blocks from which it is known well enough how much runs differ.
const fewestBlocks = 3

// checkExperiment refuses flags that --experiment has no use for.
func (f predictFlags) checkExperiment() error {
	switch {
	case f.whatIf != "":
		return hint.Errorf("leave one of them out", "--experiment and --what-if cannot be used together: an experiment tests a single value")
	case f.format != "text":
		return hint.Errorf("leave out --json and --format", "--experiment writes an experiment file")
	}
	return nil
}

// writeCloser writes the experiment that is closest to a question on the machine of the reference, and says on standard error
// what it is good for.
func (a *app) writeCloser(rec *record.Record, environment string, cells []experiment.Cell, q prediction.Question, flags predictFlags) error {
	if len(cells) > 1 {
		return hint.Errorf(fmt.Sprintf("add --workload %s, or --clients", cells[0].Workload), "--experiment: the experiment is made from one cell, and %d were measured", len(cells))
	}
	if rec.Environments[environment].Kind == "connected" {
		return hint.Errorf("predict from an --environment whose server plinth starts", "--experiment: plinth does not change the existing server of %s", environment)
	}
	cell := cells[0]
	ref, err := prediction.Of(rec, environment, cell)
	if err != nil {
		return err
	}
	ref.Learn(rec)
	closer, err := ref.Closer(q)
	if err != nil {
		return err
	}
	exp, err := rec.Experiment()
	if err != nil {
		return err
	}
	changes, words, err := flags.closer(closer.Measured, rec.Environments[environment])
	if err != nil {
		return err
	}
	e := derive.Experiment{
		Name: closest, Question: fmt.Sprintf("What does %s do with %s?", cell.Workload, phrase.And(words)),
		Environment: environment, Workload: cell.Workload, Clients: []int{cell.Clients}, Threads: cell.Threads, Repeats: max(fewestBlocks, exp.Repeats),
		Changed: closest, Changes: changes,
	}
	if n := closer.Measured.Clients; n > 0 {
		e.Clients = append(e.Clients, n)
		e.Threads = min(e.Threads, n)
	}
	text, err := derive.File(rec.ExperimentYAML, e)
	if errors.Is(err, derive.ErrUnchanged) {
		return hint.Errorf("ask for something else", "the reference has what is asked for: %s", phrase.And(words))
	}
	if err != nil {
		return err
	}
	if _, err := a.Stdout.Write(text); err != nil {
		return err
	}
	fmt.Fprintln(a.Stderr, gain(ref, q, closer))
	return nil
}

// gain says what the runs of the closest experiment are good for.
func gain(ref *prediction.Reference, q prediction.Question, c prediction.Closer) string {
	if c.Answers {
		return "its runs measure what is asked for; nothing is left to predict"
	}
	if c.Half == 0 {
		return "its runs will show how well the rest can be predicted"
	}
	then := phrase.Percent(c.Half)
	text := "from its runs, the rest can be predicted to about ±" + then
	if p, err := ref.Predict(q); err == nil && p.TPS.Half() > c.Half && phrase.Percent(p.TPS.Half()) != then {
		text += " instead of ±" + phrase.Percent(p.TPS.Half())
	}
	return text
}

// closer returns what of the question is measured, in the keys of an experiment and in words.
func (f predictFlags) closer(q prediction.Question, from record.Environment) (changes map[string]any, words []string, err error) {
	changes = map[string]any{}
	limits, storage := map[string]any{}, map[string]any{}
	if q.Data != nil {
		disk, err := emulatedAs(f.device)
		if err != nil {
			return nil, nil, err
		}
		if !slices.ContainsFunc(from.Volumes, func(v record.Volume) bool { return v.Role == "data" && v.Emulation != nil }) {
			disk["size"] = diskSize
		}
		storage["data"], words = disk, append(words, "data on "+f.device)
	}
	if q.WAL != nil {
		disk, err := emulatedAs(f.wal)
		if err != nil {
			return nil, nil, err
		}
		disk["size"] = diskSize
		storage["wal"], words = disk, append(words, "WAL on "+f.wal)
	}
	if q.Clients > 0 {
		words = append(words, unit.Count(q.Clients, "client"))
	}
	if q.CPUs > 0 {
		limits["cpus"], words = q.CPUs, append(words, unit.Count(q.CPUs, "CPU"))
	}
	if q.Memory > 0 {
		size := unit.Size(q.Memory).Exact()
		limits["memory"], words = size, append(words, size+" of memory")
	}
	if q.SharedBuffers > 0 {
		size := bufferSize(q.SharedBuffers)
		changes["settings"], words = map[string]any{"shared_buffers": size}, append(words, "shared_buffers = "+size)
	}
	if len(limits) > 0 {
		changes["limits"] = limits
	}
	if len(storage) > 0 {
		changes["storage"] = storage
	}
	return changes, words, nil
}

// bufferSize prints a size as PostgreSQL reads it: its MB are MiB.
func bufferSize(bytes int64) string {
	if bytes%(1<<20) == 0 {
		return fmt.Sprintf("%dMB", bytes>>20)
	}
	return fmt.Sprintf("%dkB", bytes>>10)
}

// diskSize is the size of an emulated disk where the reference had none of its kind.
const diskSize = "8GiB"

// located are the keys of a volume that say what it is on, and change the model of its disk: those of another disk.
var located = []string{
	"directory", "device", "file", "raid", "members", "chunk", "is", "erase", "class",
	"iops", "throughput", "provisioned", "latency", "round_trip", "write_cache",
}

// emulatedAs returns the volume of an experiment that emulates DEVICE[,iops=N][,throughput=RATE].
func emulatedAs(text string) (map[string]any, error) {
	name, o, err := parseLimits(text)
	volume := map[string]any{"emulate": name}
	for _, key := range located {
		volume[key] = nil
	}
	if o.IOPS > 0 {
		volume["iops"] = o.IOPS
	}
	if o.Throughput > 0 {
		volume["throughput"] = o.Throughput
	}
	return volume, err
}
