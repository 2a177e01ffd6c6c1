package predicting

import (
	"fmt"
	"math"
	"strings"

	"github.com/spf13/pflag"

	"plinth/internal/hint"
	"plinth/internal/instance"
	"plinth/internal/prediction"
	"plinth/internal/record"
	"plinth/internal/unit"
)

// checkCPUs refuses flags of CPUs that make no sense, alone or together.
func (f predictFlags) checkCPUs(given *pflag.FlagSet) error {
	for _, one := range []struct {
		flag  string
		value float64
		hint  string
	}{
		{"clients", float64(f.clients), "leave it out for the clients that were measured"},
		{"cpus", float64(f.cpus), "leave it out for the CPUs of the reference"},
		{"cpu-speed", f.speed, "1.3 is 30 % faster; leave it out for CPUs of the same speed"},
	} {
		if given.Changed(one.flag) && !(one.value > 0 && !math.IsInf(one.value, 0)) {
			return hint.Errorf(one.hint, "--%s must be positive", one.flag)
		}
	}
	switch {
	case (f.instance == "") != (f.fromType == ""):
		return hint.Errorf("plinth instances lists them; without an instance, use --cpus and --cpu-speed",
			"--instance and --from-instance must be given together: the prediction takes the ratio of their CPUs")
	case f.instance != "" && (f.cpus > 0 || f.speed > 0):
		return hint.Errorf("give either --instance, or --cpus and --cpu-speed", "--instance says how many CPUs there are, and how fast they are")
	}
	key, _, _ := strings.Cut(f.whatIf, "=")
	buffers := strings.HasPrefix(strings.Join(f.set, "\n"), string(prediction.SharedBuffers)+"=")
	for swept, fixed := range map[string]bool{
		prediction.SweepCPUs: f.cpus > 0 || f.instance != "", prediction.SweepMemory: f.memory != "", prediction.SweepBuffers: buffers,
	} {
		if key == swept && fixed {
			return hint.Errorf("leave one of them out", "--what-if %s and a fixed value of %s cannot be used together", swept, swept)
		}
	}
	return nil
}

// onInstance asks for the CPUs of a cloud instance: as many as it has, and as fast as CoreMark says in proportion to that
// on which the reference was measured. It returns that in words.
func (f predictFlags) onInstance(q *prediction.Question, rec *record.Record, environment string) (string, error) {
	const other = "name another type, or use --cpus and --cpu-speed"
	var both [2]instance.Instance
	for i, one := range []struct{ flag, name string }{{"--from-instance", f.fromType}, {"--instance", f.instance}} {
		var err error
		if both[i], err = instance.Find(one.name); err != nil {
			return "", hint.Wrap(fmt.Errorf("%s: %w", one.flag, err), hint.Of(err))
		}
		if both[i].Credits != nil {
			return "", hint.Errorf(other, "%s: %s is throttled when its CPU credits run out, which the model does not cover", one.flag, one.name)
		}
	}
	from, to := both[0], both[1]
	if n := machineCPUs(rec, environment); n > 0 && n != from.VCPUs {
		return "", hint.Errorf(other, "--from-instance: %s has %s, and %s was measured on %d", f.fromType, unit.Count(from.VCPUs, "CPU"), environment, n)
	}
	if err := f.inMemory(q, rec.Environments[environment], from, to); err != nil {
		return "", err
	}
	q.CPUs, q.OtherMachine = to.VCPUs, true
	words := fmt.Sprintf("%s: %s", f.instance, unit.Count(to.VCPUs, "CPU"))
	if from.Processor == to.Processor {
		return words + " of the same kind", nil
	}
	slow, fast := instance.CoreMarkOf(from.Processor), instance.CoreMarkOf(to.Processor)
	if slow == 0 || fast == 0 {
		return "", hint.Errorf(other, "cannot compare the CPUs of %s and %s: the catalog lacks a CoreMark score for at least one of them", f.fromType, f.instance)
	}
	q.CPUSpeed, q.CoreMark = fast/slow, true
	return fmt.Sprintf("%s, %.2f times as fast", words, q.CPUSpeed), nil
}

// inMemory refuses an instance that has not enough memory for a dataset that was in memory. How often reads miss the caches
// is taken from the reference in all other cases, which the prediction says if the memory differs.
func (f predictFlags) inMemory(q *prediction.Question, e record.Environment, from, to instance.Instance) error {
	limited := e.Limits != nil && e.Limits.Memory > 0
	if limited && e.Limits.Memory <= int64(to.Memory) || from.Memory == to.Memory {
		return nil
	}
	if size := e.Dataset.Bytes; size > int64(to.Memory) && size <= int64(from.Memory) {
		return hint.Errorf("measure it with the memory of "+f.instance+": limits: {memory: SIZE}",
			"the dataset of %s was in the memory of %s (%s), and %s has %s: reads would go to the disk, and none were measured",
			unit.Size(size), f.fromType, from.Memory, f.instance, to.Memory)
	}
	q.Granted = append(q.Granted, fmt.Sprintf("reads miss the caches as often as on %s, which has %s of memory; %s has %s", f.fromType, from.Memory, f.instance, to.Memory))
	return nil
}

// machineCPUs returns the number of CPUs of the machine on which an environment was measured; 0 if it is not recorded.
func machineCPUs(rec *record.Record, environment string) int {
	for i := range rec.Runs {
		if v := rec.Runs[i].Evidence; v != nil && rec.Runs[i].Environment == environment {
			return v.Machine.CPUs
		}
	}
	return 0
}
