package names

import "slices"

// modes has the columns of mpstat, sar -u and iostat whose shares are a mode of /proc/stat.
//
// mpstat and sar -u ALL take guest out of %usr and guest_nice out of %nice (cpu_user - cpu_guest in
// mpstat.c), so the parts are added up again. %user of iostat and sar -u includes guest, as
// /proc/stat does. Their %system includes irq and softirq (write_plain_cpu_stat in iostat.c), so it
// is none of plinth's modes.
var modes = map[string][]string{
	"%user": {"user"}, "%usr": {"user"}, "%nice": {"nice"}, "%sys": {"system"}, "%idle": {"idle"}, "%iowait": {"iowait"},
	"%irq": {"irq"}, "%soft": {"softirq"}, "%steal": {"steal"}, "%guest": {"guest", "user"}, "%gnice": {"guest_nice", "nice"},
}

// Share reports whether a column is one of those that add up to 100 % of CPU time.
func Share(heading string) bool {
	return modes[heading] != nil || heading == "%system"
}

// AllCPUs returns where a share of the time of all CPUs goes. It becomes the CPU time per second
// with the number of CPUs, which the first line states; 0 if it is unknown.
func AllCPUs(tool, heading string, cpus int) []Out {
	all := modes[heading]
	if all == nil || cpus == 0 {
		return Own(tool, "all", heading)
	}
	var outs []Out
	for _, mode := range all {
		outs = append(outs, Out{Name: "stat.cpu." + mode, Scale: percent * float64(cpus), Add: mode == "user" || mode == "nice"})
	}
	return outs
}

// CPU returns where a share of one CPU's time goes: everything but idle and iowait is also part of
// the time that the CPU was busy.
func CPU(tool, cpu, heading string) []Out {
	outs := Own(tool, "cpu"+cpu, heading)
	if Share(heading) && !slices.Contains([]string{"%idle", "%iowait"}, heading) {
		outs = append(outs, Out{Name: "stat.cpu" + cpu + ".busy", Scale: percent, Add: true})
	}
	return outs
}
