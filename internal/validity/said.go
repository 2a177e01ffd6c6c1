package validity

import (
	"fmt"
	"time"

	"plinth/internal/device"
	"plinth/internal/record"
)

// saidWarnings compare a run with what the experiment says its volumes are.
var saidWarnings = []rule{
	{
		name:  "said-exceeded",
		hint:  "correct the volume's is: key, or its iops and throughput: the ceilings that plinth shows come from that model",
		when:  isSaid,
		check: func(c Case) string { return firstOf(c, exceeds) },
	},
	{
		name:  "said-too-fast",
		hint:  "correct the volume's is: key, or look for a cache in front of the device",
		when:  isSaid,
		check: func(c Case) string { return firstOf(c, tooFast) },
	},
}

func isSaid(c Case) bool {
	for _, v := range c.Environment.Volumes {
		if v.Is != nil {
			return true
		}
	}
	return false
}

// firstOf returns the first contradiction that check finds on a volume of which something is said;
// "" if there is none.
func firstOf(c Case, check func(Case, record.Volume, record.VolumeIO) string) string {
	for _, v := range c.Environment.Volumes {
		for _, io := range c.Run.Volumes {
			if v.Is == nil || io.Role != v.Role {
				continue
			}
			if text := check(c, v, io); text != "" {
				return text
			}
		}
	}
	return ""
}

// beyond is the factor by which a rate must exceed its limit: readings and the run's boundaries are
// not exactly aligned.
const beyond = 1.05

// exceeds reports a rate above the highest one of the model, a burst included.
func exceeds(_ Case, v record.Volume, io record.VolumeIO) string {
	model := v.Is.Model
	one, members := model.Member(), 1.0
	if a := model.Array; a != nil {
		members = float64(a.Members)
	}
	copies := float64(model.Copies()) // of each write; the limits count all of them
	if most, done := one.IOPS.Peak()*members, io.Reads+copies*io.Writes; most > 0 && done > beyond*most {
		return fmt.Sprintf("the %s volume is declared as %s, but the run did %s operations per second on it, more than its maximum of %s",
			v.Role, model.Name, plain(done), plain(most))
	}
	if most, done := one.Throughput.Limit().Peak()*members, io.ReadBytes+copies*io.WriteBytes; most > 0 && done > beyond*most {
		return fmt.Sprintf("the %s volume is declared as %s, but the run read and wrote %s MiB/s on it, more than its maximum of %s MiB/s",
			v.Role, model.Name, plain(done/(1<<20)), plain(most/(1<<20)))
	}
	return ""
}

// fewOperations is the number of operations in a run below which their mean latency proves nothing.
const fewOperations = 100

// tooFast reports a mean latency below half of the model's first percentile: nearly all operations of such a
// device take longer. Half, because volumes of one type differ, too: a random read of gp3
// is published as 0.6 ms and as 1.5 to 2.5 ms.
func tooFast(c Case, v record.Volume, io record.VolumeIO) string {
	one := v.Is.Model.Member()
	for _, kind := range []struct {
		name  string
		rate  float64
		model device.Latency
	}{{"write", io.Writes, one.Write}, {"read", io.Reads, one.Read}} {
		mean, known := c.Run.Figures[v.Role+"-disk-"+kind.name+"-latency"]
		least := float64(kind.model.Quantile(0.01)) / 2
		if known && mean > 0 && mean < least && kind.rate*c.Run.Result.Duration >= fewOperations {
			return fmt.Sprintf("the %s volume is declared as %s, on which 99 %% of %ss take longer than %s, but the mean %s took %s",
				v.Role, v.Is.Model.Name, kind.name, time.Duration(least).Round(time.Microsecond), kind.name, time.Duration(mean).Round(time.Microsecond))
		}
	}
	return ""
}
