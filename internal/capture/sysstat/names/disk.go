package names

// disk has the columns of iostat and of sar -d that state a metric of a disk. Headings are those of
// sysstat 10.1 to 12.7 (write_disk_stat_header in iostat.c, activity.c). await and svctm mix reads and
// writes, and have no counterpart. iostat computes r/s, r_await, aqu-sz and the others from the same
// fields of /proc/diskstats as plinth; tot_ticks and rq_ticks are milliseconds.
var disk = map[string]metric{
	"r/s": {"reads", 1}, "w/s": {"writes", 1}, "d/s": {"discards", 1}, "f/s": {"flushes", 1},
	"rrqm/s": {"reads_merged", 1}, "wrqm/s": {"writes_merged", 1},
	"r_await": {"read_latency", milli}, "w_await": {"write_latency", milli}, "f_await": {"flush_latency", milli},
	"aqu-sz": {"queue", 1}, "avgqu-sz": {"queue", 1}, "%util": {"utilisation", percent},

	"rkB/s": {"read_bytes", kib}, "rMB/s": {"read_bytes", mib}, "rsec/s": {"read_bytes", sector}, "rd_sec/s": {"read_bytes", sector},
	"wkB/s": {"write_bytes", kib}, "wMB/s": {"write_bytes", mib}, "wsec/s": {"write_bytes", sector}, "wr_sec/s": {"write_bytes", sector},
	"kB_read/s": {"read_bytes", kib}, "MB_read/s": {"read_bytes", mib}, "Blk_read/s": {"read_bytes", sector},
	"kB_wrtn/s": {"write_bytes", kib}, "MB_wrtn/s": {"write_bytes", mib}, "Blk_wrtn/s": {"write_bytes", sector},
}

// Disk returns where a value of a disk goes.
func Disk(tool, device, heading string) []Out {
	if m, ok := disk[heading]; ok {
		return m.out("diskstats." + device + ".")
	}
	return Own(tool, device, heading)
}

// Requests lists the columns whose values are means over requests, with the columns that count these
// requests. sysstat prints 0.00 for a mean over none.
var Requests = map[string][]string{
	"r_await": {"r/s"}, "rareq-sz": {"r/s"},
	"w_await": {"w/s"}, "wareq-sz": {"w/s"},
	"d_await": {"d/s"}, "dareq-sz": {"d/s"},
	"f_await": {"f/s"},
	"await":   {"tps", "r/s", "w/s"}, "svctm": {"tps", "r/s", "w/s"},
	"areq-sz": {"tps"}, "avgrq-sz": {"tps", "r/s", "w/s"},
}
