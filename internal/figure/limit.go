package figure

import (
	"slices"
	"strconv"
	"strings"

	"plinth/internal/host"
	"plinth/internal/record"
)

// limited is where the ceilings of disks are known from.
const limited = "I/O limit of the cgroup"

// throttles are the names of version 1 for what version 2 calls riops, wiops, rbps
// and wbps.
var throttles = map[string]string{
	"read_iops": "riops", "write_iops": "wiops", "read_bps": "rbps", "write_bps": "wbps",
}

// modelled returns the sustained rate per second of an emulated device, or of one that the experiment
// names, and its source. A rate is 0 if there is no such limit, or nothing is known of the disk.
func (m *maker) modelled(disk string) (iops, throughput float64, from string) {
	for _, v := range m.in.Environment.Volumes {
		if lies(v, disk) {
			iops, throughput, from = ofVolume(v)
			return m.ofInstance(v, iops, throughput, from)
		}
	}
	return 0, 0, ""
}

// ofVolume returns the rates of a volume's model.
func ofVolume(v record.Volume) (iops, throughput float64, from string) {
	switch {
	case v.Emulation != nil:
		iops, flow := v.Emulation.Model.Provisioned()
		return iops, float64(flow), "model of " + v.Emulation.Model.Name + ", without bursts"
	case v.Is != nil:
		iops, flow := v.Is.Model.Provisioned()
		return iops, float64(flow), "is: " + v.Is.Model.Name + " (" + v.Is.Source + "), without bursts"
	}
	return 0, 0, ""
}

// ofInstance lowers the rates of an EBS volume to what its instance sustains on all of its volumes.
// An emulated volume has no instance: the emulator enforces the volume's own limits.
func (m *maker) ofInstance(v record.Volume, iops, throughput float64, from string) (float64, float64, string) {
	i := m.in.Environment.Instance
	if i == nil || v.Emulation != nil || !isEBS(v) {
		return iops, throughput, from
	}
	limit := "EBS limit of the instance " + i.Name + ", without bursts"
	lowered := false
	if i.IOPS > 0 && (iops == 0 || i.IOPS < iops) {
		iops, lowered = i.IOPS, true
	}
	if i.Throughput > 0 && (throughput == 0 || i.Throughput < throughput) {
		throughput, lowered = i.Throughput, true
	}
	switch {
	case !lowered:
		return iops, throughput, from
	case from == "":
		return iops, throughput, limit
	}
	return iops, throughput, from + "; where lower, the " + limit
}

// isEBS reports whether a volume is known to be of Amazon EBS.
func isEBS(v record.Volume) bool {
	if v.Is != nil {
		return v.Is.Model.OfEBS()
	}
	return slices.ContainsFunc(v.Remote, func(r host.Remote) bool { return r.Product == "Amazon EBS" })
}

// copies returns the number of members of an array that each write goes to; 1 for other disks.
func (m *maker) copies(disk string) int {
	for _, v := range m.in.Environment.Volumes {
		if lies(v, disk) && v.Emulation != nil {
			return v.Emulation.Model.Copies()
		} else if lies(v, disk) && v.Is != nil {
			return v.Is.Model.Copies()
		}
	}
	return 1
}

// lies reports whether a volume lies on a disk alone.
func lies(v record.Volume, disk string) bool {
	if v.Device == "" {
		return len(v.Disks) == 1 && v.Disks[0] == disk
	}
	return v.Device == disk
}

// limitsOf are the least limits that cgroups set for a disk, by their names in
// io.max (Documentation/admin-guide/cgroup-v2.rst).
func (m *maker) limitsOf(disk string) map[string]float64 {
	if m.in.Inventory == nil {
		return nil
	}
	for _, d := range m.in.Inventory.Disks {
		if d.Name == disk && d.Number != "" {
			return limits(m.in.Inventory.Cgroup.IOLimits, d.Number)
		}
	}
	return nil
}

// limits reads those of one device: "8:16 rbps=2097152 wiops=max" of version 2, or
// "read_bps 8:16 2097152" of version 1, several joined by ";".
func limits(text, device string) map[string]float64 {
	least := map[string]float64{}
	for line := range strings.SplitSeq(text, ";") {
		words := strings.Fields(line)
		switch {
		case len(words) == 3 && throttles[words[0]] != "" && words[1] == device:
			lower(least, throttles[words[0]], words[2])
		case len(words) > 1 && words[0] == device:
			for _, word := range words[1:] {
				name, value, _ := strings.Cut(word, "=")
				lower(least, name, value)
			}
		}
	}
	return least
}

// lower takes a limit down where it is one ("max" is none) and the least so far.
func lower(least map[string]float64, name, value string) {
	n, err := strconv.ParseUint(value, 10, 64)
	if old, known := least[name]; err == nil && n > 0 && (!known || float64(n) < old) {
		least[name] = float64(n)
	}
}
