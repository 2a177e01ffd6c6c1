package inspect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plinth/internal/host/watch"
)

var limitRules = []rule{
	{
		name: "cpu-quota", weight: 62, about: ofGenerator, check: cpuQuota,
		benchmark:  "a cgroup that has used up its quota is stopped until the next period of 100 ms: latency comes in steps of 100 ms",
		production: "latency comes in the same steps; nr_throttled in cpu.stat counts the periods in which the cgroup was stopped",
		do:         "give the pod or unit whole, exclusive CPUs (equal requests and limits with the static CPU manager; an empty CPUQuota=)",
	},
	{
		name: "io-limit", weight: 58, about: ofGenerator, check: ioLimit,
		benchmark:  "the run measures the limit, not the disk",
		production: "the same",
		do:         "remove io.max to benchmark the disk, or report the limit with the result",
	},
	{
		name: "memory-limit", weight: 44, about: ofGenerator, check: memoryLimit,
		benchmark:  "page cache counts towards the limit: near it, running processes pay for reclaim",
		production: "above the limit the kernel kills a process, which ends all sessions of a server",
		do:         "size the server's memory (shared_buffers, maxmemory) and the dataset to the limit, not to the machine",
	},
	{
		name: "nofile", weight: 21, about: ofGenerator, check: openFiles,
		benchmark:  "a load generator needs one file descriptor per client, and a server one per client and more for its data",
		production: "a server started from this shell inherits the limit",
		do:         "set LimitNOFILE=524288 in the unit, or nofile in /etc/security/limits.conf",
	},
	{
		name: "container", weight: 16, about: ofGenerator, check: container,
		benchmark:  "kernel settings and neighbours are those of the host, and not all of them are visible from inside",
		production: "the same",
		do:         "also run plinth inspect on the host",
	},
}

func cpuQuota(in *Input) evidence {
	quota := in.Machine.Cgroup.CPUs
	if quota <= 0 || quota >= float64(in.Machine.CPU.Online) {
		return nothing
	}
	return found("plinth's cgroup is limited to %s of %d CPUs", strings.TrimSuffix(fmt.Sprintf("%.1f", quota), ".0"), in.Machine.CPU.Online)
}

func ioLimit(in *Input) evidence {
	limits := strings.Join(strings.Fields(in.Machine.Cgroup.IOLimits), " ")
	if limits == "" {
		return nothing
	}
	return found("plinth's cgroup has an I/O limit: %s", limits)
}

func memoryLimit(in *Input) evidence {
	c, total := in.Machine.Cgroup, in.Machine.Memory.Total
	limit := c.Memory
	if c.High > 0 && (limit == 0 || c.High < limit) {
		limit = c.High
	}
	if limit <= 0 || limit >= total {
		return nothing
	}
	return found("plinth's cgroup is limited to %s of the machine's %s of memory", size(limit), size(total))
}

// openFiles checks the hard limit: programs can raise the soft one.
func openFiles(in *Input) evidence {
	const few = 4096
	for _, l := range in.Machine.Limits {
		var hard int
		if l.Name != "max open files" {
			continue
		}
		if _, err := fmt.Sscan(l.Value, &hard); err == nil && hard <= few {
			return found("a process may open at most %d files", hard)
		}
	}
	return nothing
}

func container(in *Input) evidence {
	if in.Machine.Container == "" {
		return nothing
	}
	return found("this is a container (%s)", in.Machine.Container)
}

var loadRules = []rule{
	{
		name: "other-load", weight: 64, about: ofGenerator, check: otherLoad,
		benchmark: "other processes use resources at uncontrolled times: the noise hides small effects",
		do:        "stop them or measure later; systemctl list-timers lists scheduled jobs",
	},
}

// How busy a machine may be: the load average per CPU, and the share of all CPUs that processes
// used during the inspection.
const (
	loadToNotice = 0.5
	busyToNotice = 0.1
)

func otherLoad(in *Input) evidence {
	cpus := float64(in.Machine.CPU.Online)
	if cpus == 0 {
		return nothing
	}
	used := 0.0
	var names []string
	for _, p := range ByName(in.Machine.Busiest) {
		used += p.CPU
		if p.CPU >= 0.05 {
			names = append(names, fmt.Sprintf("%s %.1f", p.Command, p.CPU))
		}
	}
	if in.Machine.Load.One/cpus < loadToNotice && used/cpus < busyToNotice {
		return nothing
	}
	e := found("the load average is %.1f on %s", in.Machine.Load.One, several(int(cpus), "CPU"))
	if names != nil {
		e.text += "; busiest processes: " + list(names)
	}
	return e
}

// ByName merges busy processes with the same name, the busiest first: a server consists of many
// processes.
func ByName(all []watch.BusyProcess) []watch.BusyProcess {
	var named []watch.BusyProcess
	for _, p := range all {
		same := func(n watch.BusyProcess) bool { return n.Command == p.Command }
		if i := slices.IndexFunc(named, same); i >= 0 {
			named[i].CPU += p.CPU
		} else {
			named = append(named, p)
		}
	}
	slices.SortStableFunc(named, func(a, b watch.BusyProcess) int { return cmp.Compare(b.CPU, a.CPU) })
	return named
}
