package names

import "strings"

// network has the columns of sar -n DEV and -n EDEV, which sysstat takes from /proc/net/dev
// (read_net_dev and read_net_edev in rd_stats.c).
var network = map[string]metric{
	"rxpck/s": {"rx_packets", 1}, "txpck/s": {"tx_packets", 1}, "rxkB/s": {"rx_bytes", kib}, "txkB/s": {"tx_bytes", kib},
	"rxerr/s": {"rx_errors", 1}, "txerr/s": {"tx_errors", 1}, "rxdrop/s": {"rx_dropped", 1}, "txdrop/s": {"tx_dropped", 1},
}

// system has the columns of sar that concern the machine as a whole. sysstat reads them from the same
// lines of /proc/stat, /proc/vmstat, /proc/meminfo and /proc/pressure as plinth (rd_stats.c).
//
// These look alike but differ: runq-sz leaves out the thread that reads the file (read_loadavg),
// pgscand/s adds up every counter that begins with pgscan_direct, and pgsteal/s pages of kswapd and
// of direct reclaim (read_vmstat_paging).
var system = map[string]metric{
	"cswch/s": {"stat.ctxt", 1}, "proc/s": {"stat.processes", 1}, "blocked": {"stat.procs_blocked", 1},

	"pgpgin/s": {"vmstat.pgpgin", kib}, "pgpgout/s": {"vmstat.pgpgout", kib},
	"fault/s": {"vmstat.pgfault", 1}, "majflt/s": {"vmstat.pgmajfault", 1}, "pgscank/s": {"vmstat.pgscan_kswapd", 1},
	"pswpin/s": {"vmstat.pswpin", 1}, "pswpout/s": {"vmstat.pswpout", 1},

	"kbmemfree": {"meminfo.MemFree", kib}, "kbavail": {"meminfo.MemAvailable", kib}, "kbbuffers": {"meminfo.Buffers", kib},
	"kbcached": {"meminfo.Cached", kib}, "kbdirty": {"meminfo.Dirty", kib}, "kbanonpg": {"meminfo.AnonPages", kib},
	"kbslab": {"meminfo.Slab", kib}, "kbpgtb": {"meminfo.PageTables", kib}, "kbpgtbl": {"meminfo.PageTables", kib},
	"kbshmem": {"meminfo.Shmem", kib}, "kbswpfree": {"meminfo.SwapFree", kib}, "kbswpcad": {"meminfo.SwapCached", kib},

	"%scpu": {"pressure.cpu.some", percent}, "%sio": {"pressure.io.some", percent}, "%fio": {"pressure.io.full", percent},
	"%smem": {"pressure.memory.some", percent}, "%fmem": {"pressure.memory.full", percent},
}

// Key returns where a value goes whose line has a key: the number of a CPU, the name of a disk. column
// is the heading of the key, "" for none.
func Key(tool, column, key, heading string, cpus int) []Out {
	switch column {
	case "":
		if m, ok := system[heading]; ok && tool == "sar" {
			return m.out("")
		}
		return Own(tool, "", heading)
	case "CPU":
		return cpuTable(tool, key, heading, cpus)
	case "DEV":
		return Disk(tool, key, heading)
	case "IFACE":
		if m, ok := network[heading]; ok {
			return m.out("netdev." + key + ".")
		}
		return Own(tool, key, heading)
	case "INTR":
		if key == "sum" && (heading == "intr/s" || heading == "all") {
			return metric{"stat.intr", 1}.out("")
		}
	}
	return Own(tool, strings.ToLower(column)+key, heading)
}

// cpuTable handles -1, which sadf -d and older versions of mpstat print for all CPUs.
func cpuTable(tool, key, heading string, cpus int) []Out {
	if key != "all" && key != "-1" {
		return CPU(tool, key, heading)
	}
	if heading == "intr/s" {
		return metric{"stat.intr", 1}.out("") // the first number of intr in /proc/stat (read_stat_irq)
	}
	return AllCPUs(tool, heading, cpus)
}

// Network reports whether a column of sar is a metric of a network interface.
func Network(heading string) bool {
	_, ok := network[heading]
	return ok
}
