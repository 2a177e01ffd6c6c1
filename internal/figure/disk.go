package figure

import (
	"math"
	"slices"
	"strings"

	"plinth/internal/figure/window"
	"plinth/internal/record"
)

// volumesOf are the environment's volumes, and the role of those that hold what is of
// a role: WAL without a volume of its own lies with the data.
func (m *maker) volumesOf(role string) ([]record.Volume, string) {
	volumes := m.in.Environment.Volumes
	if !slices.ContainsFunc(volumes, func(v record.Volume) bool { return v.Role == role }) {
		role = "data"
	}
	return volumes, role
}

// disksOf are the disks of a role, or why none is known.
func (m *maker) disksOf(role string) (disks []string, why string) {
	volumes, role := m.volumesOf(role)
	why = "the location of the data is not known"
	for _, v := range volumes {
		if v.Role == role {
			why = "no disk is known under " + v.Path + " (" + v.Filesystem + ")"
		}
	}
	if disks = record.DevicesOf(volumes, role); len(disks) > 0 {
		why = ""
	}
	return disks, why
}

// disksUnder are the disks that hold a role's volumes in the end.
func (m *maker) disksUnder(role string) (disks []string) {
	volumes, role := m.volumesOf(role)
	for _, v := range volumes {
		if v.Role == role {
			disks = append(disks, v.Disks...)
		}
	}
	slices.Sort(disks)
	return slices.Compact(disks)
}

// allDisks are those of both roles, each once.
func (m *maker) allDisks() (disks []string, why string) {
	data, why := m.disksOf("data")
	wal, _ := m.disksOf("wal")
	if why != "" {
		return nil, why
	}
	disks = append(data, wal...)
	slices.Sort(disks)
	return slices.Compact(disks), ""
}

// of is columns of disks.
func of(disks []string, fields ...string) (columns []string) {
	for _, disk := range disks {
		for _, field := range fields {
			columns = append(columns, "diskstats."+disk+"."+field)
		}
	}
	return columns
}

// Volumes returns the activity of each volume of a run's environment. It leaves out volumes without
// a known device, and devices that were not observed.
func Volumes(in Input) (all []record.VolumeIO) {
	m := &maker{Window: window.New(in.Run, in.Points), in: in}
	if in.Environment.Elsewhere {
		return nil
	}
	for _, v := range in.Environment.Volumes {
		disks := record.DevicesOf(in.Environment.Volumes, v.Role)
		var rates [4]float64
		known := len(disks) > 0
		for i, field := range []string{"reads", "writes", "read_bytes", "write_bytes"} {
			n := m.Of(of(disks, field)...).Mean()
			rates[i], known = n.Value, known && n.Why == "" && !math.IsNaN(n.Value) && !math.IsInf(n.Value, 0)
		}
		if known {
			all = append(all, record.VolumeIO{Role: v.Role, Reads: rates[0], Writes: rates[1], ReadBytes: rates[2], WriteBytes: rates[3]})
		}
	}
	return all
}

// diskFigures hold what each role has, in the order of the catalog.
var diskFigures = strings.Fields("iops iops-peak reads writes iops-use bytes bytes-peak throughput-use " +
	"read-latency write-latency flush-latency read-latency-max write-latency-max flush-latency-max utilisation queue")

// disks holds what the disks of a role did: /proc/diskstats
// (Documentation/admin-guide/iostats.rst).
func (m *maker) disks(role string) {
	prefix := role + "-disk-"
	disks, why := m.disksOf(role)
	if why != "" {
		for _, name := range diskFigures {
			m.put(prefix+name, window.Number{Why: why})
		}
		return
	}
	requests, bytes := m.Of(of(disks, "reads", "writes")...), m.Of(of(disks, "read_bytes", "write_bytes")...)
	m.put(prefix+"iops", requests.Mean())
	peak, _ := requests.Most()
	m.put(prefix+"iops-peak", peak)
	m.put(prefix+"reads", m.Of(of(disks, "reads")...).Mean())
	m.put(prefix+"writes", m.Of(of(disks, "writes")...).Mean())
	m.put(prefix+"bytes", bytes.Mean())
	peak, _ = bytes.Most()
	m.put(prefix+"bytes-peak", peak)
	m.put(prefix+"iops-use", m.useOf(disks, "reads", "writes", func(iops, _ float64) float64 { return iops }))
	m.put(prefix+"throughput-use", m.useOf(disks, "read_bytes", "write_bytes", func(_, flow float64) float64 { return flow }))
	for _, kind := range []string{"read", "write", "flush"} {
		latency := m.diskLatency(disks, kind)
		if latency.Why != "" { // arrays count no flushes, and older kernels no times of them
			if under := m.diskLatency(m.disksUnder(role), kind); under.Why == "" {
				latency = under
			}
		}
		m.put(prefix+kind+"-latency", latency)
		m.put(prefix+kind+"-latency-max", m.longestRequest(role, kind).Nanoseconds())
	}
	m.put(prefix+"utilisation", m.busiest(disks))
	m.put(prefix+"queue", m.Of(of(disks, "queue")...).Mean())
}

// useOf returns the sum of two columns over the limit of the model, for the disk with the highest share.
func (m *maker) useOf(disks []string, reads, writes string, limit func(iops, throughput float64) float64) (highest window.Number) {
	highest.Why = "no limit of " + strings.Join(disks, " and ") + " is known; set is: in the experiment to the disk's model"
	for _, disk := range disks {
		iops, throughput, _ := m.modelled(disk)
		if most := limit(iops, throughput); most > 0 && !math.IsInf(most, 0) {
			used := m.Of(of([]string{disk}, reads, writes)...).Mean()
			// The limit of an array counts each copy of a write; the kernel counts the write once.
			if more := m.Of(of([]string{disk}, writes)...).Mean(); m.copies(disk) > 1 && more.Why == "" {
				used.Value += more.Value * float64(m.copies(disk)-1)
			}
			used.Value /= most
			if highest.Why != "" || used.Value > highest.Value {
				highest = used
			}
		}
	}
	if used := m.useOfInstance(disks, reads, writes, limit); used.Why == "" && (highest.Why != "" || used.Value > highest.Value) {
		highest = used
	}
	return highest
}

// useOfInstance returns what all EBS volumes of the environment did together, over what the instance sustains on
// all of them; unknown if none of the disks is one of them.
func (m *maker) useOfInstance(disks []string, reads, writes string, limit func(iops, throughput float64) float64) window.Number {
	unknown := window.Number{Why: "no limit of the instance is known"}
	if m.in.Environment.Instance == nil {
		return unknown
	}
	var all []string
	for _, v := range m.in.Environment.Volumes {
		if v.Emulation == nil && isEBS(v) {
			all = append(all, record.DevicesOf([]record.Volume{v}, v.Role)...)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	most := limit(m.in.Environment.Instance.IOPS, m.in.Environment.Instance.Throughput)
	if most <= 0 || !slices.ContainsFunc(disks, func(disk string) bool { return slices.Contains(all, disk) }) {
		return unknown
	}
	used := m.Of(of(all, reads, writes)...).Mean()
	used.Value /= most
	return used
}

var plural = map[string]string{"read": "reads", "write": "writes", "flush": "flushes"}

func (m *maker) diskLatency(disks []string, kind string) window.Number {
	var kinds []window.Timed
	for _, disk := range disks {
		name := "diskstats." + disk + "."
		kinds = append(kinds, window.Timed{Latency: name + kind + "_latency", Rate: name + plural[kind]})
	}
	if len(kinds) == 0 {
		return window.Number{Why: "no disk is known"}
	}
	n := m.Latency(kinds...)
	if n.Why == "" && n.Value == 0 {
		n.Why = "the kernel does not time the requests of " + strings.Join(disks, " and ")
	}
	return n.Nanoseconds()
}

// busiest is the utilisation of the busiest of several devices, which a mean would
// hide.
func (m *maker) busiest(disks []string) (busiest window.Number) {
	for i, disk := range disks {
		n := m.Of(of([]string{disk}, "utilisation")...).Mean()
		if n.Why != "" {
			return n
		}
		if i == 0 || n.Value > busiest.Value {
			busiest = n
		}
	}
	return busiest
}
