package environment

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"plinth/internal/device"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
	"plinth/internal/unit"
)

// storageProperties returns how a volume was created, and its unsafe options.
func storageProperties(v record.Volume) []property {
	model := ""
	if v.Emulation != nil {
		model = modelWords(v.Emulation.Model)
	}
	said := ""
	if v.Is != nil {
		said = modelWords(v.Is.Model)
	}
	return []property{
		{v.Role + " made of", strings.Join(v.Made, ", ")},
		{v.Role + " acts as", model},
		{v.Role + " is, as declared", said},
		{v.Role + " unsafe options", strings.Join(v.Unsafe, "; ")},
	}
}

// limitProperties returns the limits of a server, and the neighbour beside it.
func limitProperties(e record.Environment) []property {
	var all []property
	if l := e.Limits; l != nil {
		all = append(all, property{"CPUs of the server", l.CPUs}, property{"memory of the server", someBytes(l.Memory)}, property{"of it in huge pages", someBytes(l.HugePages)})
		if l.CPUQuota > 0 {
			all = append(all, property{"CPU quota of the server", phrase.Exact(l.CPUQuota) + " CPUs"})
		}
		if c := l.CPUCredits; c != nil {
			all = append(all, property{"CPU credits of the server", fmt.Sprintf("%s of %s at the beginning of each load, %s; then %s CPUs",
				phrase.Exact(c.Balance), c.Instance, c.Mode, phrase.Exact(c.Sustained))})
		}
	}
	if p := e.Pressure; p != nil {
		name := "neighbour"
		if p.Volume != "" {
			name += " on " + p.Volume
		}
		all = append(all, property{name, pressureWords(*p)})
	}
	return all
}

// instanceWords describes a declared instance: "m6i.large (2 vCPUs; EBS: 3,600 IOPS, 77.5MiB/s)".
func instanceWords(i *record.Instance) string {
	if i == nil {
		return ""
	}
	text := i.Name + " (" + phrase.Plural(i.VCPUs, "vCPU")
	if i.IOPS > 0 {
		text += "; EBS: " + phrase.Count(i.IOPS) + " IOPS, " + unit.Rate(i.Throughput).String()
	}
	return text + ")"
}

// replicaProperties returns the properties of a replica, with those settings that differ from
// its primary's.
func replicaProperties(e record.Environment) []property {
	r := e.Replica
	if r == nil {
		return nil
	}
	all := []property{{"replica", strings.TrimSpace(r.Server + " " + r.Version)}}
	if r.Synchronous {
		all = append(all, property{"replica, commits wait for it", "yes"})
	}
	if l := r.Limits; l != nil {
		all = append(all, property{"CPUs of the replica", l.CPUs}, property{"memory of the replica", someBytes(l.Memory)})
	}
	for _, name := range slices.Sorted(maps.Keys(r.Settings)) {
		if !ownNames.MatchString(name) && r.Settings[name] != e.Settings[name] {
			all = append(all, property{"replica: " + name, r.Settings[name]})
		}
	}
	return all
}

func someBytes(n int64) string {
	if n == 0 {
		return ""
	}
	return phrase.Bytes(n)
}

func pressureWords(p record.Pressure) string {
	var words []string
	if p.Write > 0 {
		words = append(words, "writes "+unit.Rate(p.Write).String())
	}
	if p.Read > 0 {
		words = append(words, "reads "+unit.Rate(p.Read).String())
	}
	if p.Memory > 0 {
		words = append(words, fmt.Sprintf("fills %v of the memory", unit.Share(p.Memory)))
	}
	if p.CPU > 0 {
		words = append(words, fmt.Sprintf("keeps %s CPUs busy", phrase.Exact(p.CPU)))
	}
	return strings.Join(words, ", ")
}

// modelWords describes a model in a line: "gp3 (write 1.80 ms, read 1.00 ms, 3,000 IOPS,
// 125MiB/s)". Writes come first: commits wait for them.
func modelWords(d device.Device) string {
	if a := d.Array; a != nil {
		return fmt.Sprintf("RAID %d of %d x %s", a.Level, a.Members, modelWords(*a.Of))
	}
	words := append(latencyWords("write", d.Write), latencyWords("read", d.Read)...)
	if d.IOPS.Rate > 0 {
		words = append(words, phrase.Count(d.IOPS.Rate)+" IOPS")
	}
	if d.Throughput.Rate > 0 {
		words = append(words, d.Throughput.Rate.String())
	}
	words = append(append(words, latencyWords("flush", d.Flush)...), latencyWords("round trip", d.RoundTrip)...)
	if d.Replicas > 0 {
		words = append(words, phrase.Plural(d.Replicas, "replica"))
	}
	if len(words) == 0 {
		return d.Name
	}
	return d.Name + " (" + strings.Join(words, ", ") + ")"
}

func latencyWords(name string, l device.Latency) []string {
	if l.Median <= 0 {
		return nil
	}
	return []string{name + " " + phrase.Milliseconds(float64(l.Median))}
}
