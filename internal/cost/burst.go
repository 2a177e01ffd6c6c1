package cost

import (
	"cmp"
	"math"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/instance"
	"plinth/internal/price"
	"plinth/internal/record"
)

// Load says how long an environment can do what it did in the runs, if its CPU or its storage exceeds what
// it sustains. The computation takes the throughput for proportional to the resource that is short.
type Load struct {
	Limits []Limit `json:"limits"`
	Hours  []Hour  `json:"hours"`
}

// Limit is a resource of which the load takes more than is sustained.
type Limit struct {
	Resource  string  `json:"resource"` // "CPU credits of t3.large"
	Unit      string  `json:"unit"`     // "vCPUs", "IOPS"
	Used      float64 `json:"used"`
	Sustained float64 `json:"sustained"`
	Lasts     float64 `json:"lasts_hours"` // from a full balance or bucket
	Charged   bool    `json:"charged"`     // it goes on after that, for money
}

// Hour is one hour under the load without a pause.
type Hour struct {
	Hour int          `json:"hour"` // 1 is the first
	TPS  float64      `json:"tps"`
	Cost price.Amount `json:"cost"` // of this hour
}

// shownHours are the hours that reports compare.
var shownHours = []int{1, 10}

// resource is a Limit with what it does over time.
type resource struct {
	Limit
	// share returns the share of the load that is possible in an hour.
	share func(hour int) float64
	// surplus returns the vCPU-hours that are charged in an hour.
	surplus func(hour int) float64
}

// burst fills in what a load costs beyond the bill, and how long it lasts.
func (s *Sheet) burst(rec *record.Record, env experiment.Environment, bill *Bill, row *Row, utilisation float64) {
	used := meansOf(rec, *row)
	var short []resource
	if r, found := credits(env, used.cpu); found {
		short = append(short, r)
	}
	short = append(short, storage(rec.Environments[env.Name], env, used.iops)...)
	if len(short) == 0 {
		return
	}
	row.Load = &Load{}
	hourly := row.Month / price.Amount(bill.hours)
	for _, r := range short {
		row.Load.Limits = append(row.Load.Limits, r.Limit)
	}
	for _, hour := range shownHours {
		share, extra := 1.0, price.Amount(0)
		for _, r := range short {
			share = min(share, r.share(hour))
			if r.surplus == nil {
				continue
			}
			if charged := r.surplus(hour); charged > 0 { // otherwise an unknown price does not matter
				extra += price.Amount(charged) * bill.surplus
			}
		}
		row.Load.Hours = append(row.Load.Hours, Hour{Hour: hour, TPS: row.TPS.Value * share, Cost: hourly + extra})
	}
	for _, r := range short {
		if r.Charged { // what the load takes in a month beyond what it earns
			if excess := r.Used*utilisation - r.Sustained; excess > 0 {
				row.Month += bill.surplus * price.Amount(excess*bill.hours)
			}
		}
	}
}

// means holds the mean use of the server in the runs of a row; NaN if unknown.
type means struct{ cpu, iops float64 }

func meansOf(rec *record.Record, row Row) means {
	var cpu, iops []float64 // in CPUs and in operations a second
	for _, run := range rec.Runs {
		if run.Status != record.Valid || run.Environment != row.Environment || run.Workload != row.Workload || row.Cell != "" && run.Cell.Path() != row.Cell {
			continue
		}
		if v, found := run.Figures["cpu-by-server"]; found {
			cpu = append(cpu, v*cpusOf(rec, run))
		}
		if v, found := run.Figures["data-disk-iops"]; found {
			iops = append(iops, v)
		}
	}
	return means{average(cpu), average(iops)}
}

// cpusOf returns the number of CPUs of which the figures of a run are shares: those of the machine of its
// server, which may be another one than the baseline's, and more than plinth may use. NaN if unknown.
func cpusOf(rec *record.Record, run record.Run) float64 {
	if e := run.Evidence; e != nil && e.Covered > 0 && e.Machine.CPUTime() > 0 {
		return e.Machine.CPUTime() / e.Covered
	}
	if rec.Machine == nil {
		return math.NaN()
	}
	return float64(rec.Machine.CPUs)
}

func average(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values)) // NaN without values
}

// credits returns the CPU credits of a burstable instance, if the load spends more than it earns.
func credits(env experiment.Environment, vcpus float64) (resource, bool) {
	i, err := instance.Find(env.InstanceName())
	if err != nil || i.Credits == nil || !(vcpus > i.Credits.Sustained()) {
		return resource{}, false
	}
	vcpus = min(vcpus, float64(i.VCPUs)) // what was measured may have had more
	mode := i.Credits.Mode
	if env.Limits.CPUCredits.Mode != "" && !i.Credits.Fixed {
		mode = instance.Mode(env.Limits.CPUCredits.Mode)
	}
	full := i.Credits.With(mode, cmp.Or(env.Limits.CPUCredits.Balance, i.Credits.Most))
	lasts, _ := full.Lasts(vcpus)
	r := resource{Limit: Limit{
		Resource: "CPU credits of " + i.Name, Unit: "vCPUs", Used: vcpus, Sustained: i.Credits.Sustained(), Lasts: lasts.Hours(), Charged: mode == instance.Unlimited,
	}}
	between := func(hour int) (before, after instance.Account, used float64) {
		before, _ = full.After(time.Duration(hour-1)*time.Hour, vcpus)
		after, used = before.After(time.Hour, vcpus)
		return before, after, used
	}
	r.share = func(hour int) float64 {
		_, _, used := between(hour)
		return min(1, used/(60*vcpus))
	}
	if r.Charged {
		r.surplus = func(hour int) float64 {
			before, after, _ := between(hour)
			return (after.Charged - before.Charged) / 60
		}
	}
	return r, true
}

// storage returns the buckets of the data volume and of the instance's path to its volumes, if the load
// takes more than they sustain.
func storage(measured record.Environment, env experiment.Environment, iops float64) []resource {
	var all []resource
	add := func(name string, sustained, bucket, most float64) {
		if !(iops > sustained) || sustained <= 0 || most <= sustained {
			return
		}
		lasts := bucket / (iops - sustained) / 3600
		all = append(all, resource{
			Limit: Limit{Resource: name, Unit: "IOPS", Used: iops, Sustained: sustained, Lasts: lasts},
			share: func(hour int) float64 {
				full := math.Max(0, math.Min(1, lasts-float64(hour-1)))
				return full + (1-full)*sustained/iops
			},
		})
	}
	for _, v := range measured.AllVolumes() {
		if v.Role != experiment.RoleData {
			continue
		}
		whole, known := v.Model()
		if !known {
			continue
		}
		d, n := whole.Member(), 1.0
		if whole.Array != nil {
			n = float64(whole.Array.Members)
		}
		add("burst of "+d.Name, n*d.IOPS.Rate, n*d.IOPS.Burst, n*d.IOPS.BurstRate)
		i, err := instance.Find(env.InstanceName())
		if err == nil && tariffs[d.Name] != "" && i.EBS.Known() && i.EBS.Bursts() && !i.Managed() {
			base, most := i.EBS.Baseline.IOPS, i.EBS.Maximum.IOPS
			add("EBS of "+i.Name, base, (most-base)*instance.EBSBurst.Seconds(), most)
		}
	}
	return all
}
