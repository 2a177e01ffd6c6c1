package proc

import (
	"regexp"
	"strings"
)

// The files that describe the machine rather than what it does.

var cpuinfoLine = regexp.MustCompile(`^(processor|vendor_id|cpu family|model|model name|stepping|microcode|cpu MHz|cache size|physical id|siblings|core id|cpu cores|apicid|initial apicid|fpu|fpu_exception|cpuid level|wp|flags|vmx flags|bugs|bogomips|BogoMIPS|TLB size|clflush size|cache_alignment|address sizes|power management|Features|CPU implementer|CPU architecture|CPU variant|CPU part|CPU revision|Hardware|Revision|Serial)\s*:(?: (.*))?$`)

var processorLine = regexp.MustCompile(`^processor\s+: \d+$`)

// cpuFacts are kept of the first processor.
var cpuFacts = map[string]bool{"vendor_id": true, "model name": true, "cache size": true, "CPU implementer": true, "CPU part": true}

var cpuinfo = file{
	starts: func(line string) bool {
		return processorLine.MatchString(line) || strings.HasPrefix(line, "model name\t: ")
	},
	take: func(r *reader, line string) bool {
		found := cpuinfoLine.FindStringSubmatch(line)
		if found == nil {
			return false
		}
		switch name := found[1]; {
		case name == "processor":
			if strings.TrimSpace(found[2]) == "0" { // of another snapshot
				r.cpus = 0
			}
			r.cpus++
			r.lastFact = "" // the processor counts though its number is cut off
		case cpuFacts[name]:
			if _, known := r.index["cpuinfo."+name]; !known {
				r.fact("/proc/cpuinfo", "cpuinfo."+name, found[2])
			}
		}
		r.understood()
		return true
	},
}

var (
	arrayLine  = regexp.MustCompile(`^(md[\w-]+) : ((?:active|inactive)(?: \([a-z-]+\))? .*)$`)
	blocksLine = regexp.MustCompile(`^ {6}(\d+ blocks .*)$`)
	resyncLine = regexp.MustCompile(`^ {6}\[[=>.]+\] +((?:resync|recovery|check|reshape|repair) = .*)$`)
	mdLine     = regexp.MustCompile(`^(?:Personalities :.*|unused devices: .*| {6}bitmap: .*| {6}(?:resync|recovery|check)=(?:DELAYED|PENDING)| {6})$`)
)

var mdstat = file{
	starts: func(line string) bool {
		return strings.HasPrefix(line, "Personalities : [") || arrayLine.MatchString(line)
	},
	take: func(r *reader, line string) bool {
		if found := arrayLine.FindStringSubmatch(line); found != nil {
			r.array = found[1]
			r.fact("/proc/mdstat", "mdstat."+r.array, strings.TrimSpace(found[2]))
			return true
		}
		if r.array != "" {
			if found := blocksLine.FindStringSubmatch(line); found != nil {
				r.fact("/proc/mdstat", "mdstat."+r.array+".layout", strings.TrimSpace(found[1]))
				return true
			}
			if found := resyncLine.FindStringSubmatch(line); found != nil {
				r.fact("/proc/mdstat", "mdstat."+r.array+".sync", strings.TrimSpace(found[1]))
				return true
			}
		}
		if mdLine.MatchString(line) && strings.TrimSpace(line) != "" {
			r.understood()
			return true
		}
		return false
	},
}

var (
	mountsLine = regexp.MustCompile(`^(\S+) (/\S*) ([a-z][\w.]*) ((?:rw|ro)(?:,\S+)?) \d \d$`)
	mountLine  = regexp.MustCompile(`^(\S+) on (/.*) type ([a-z][\w.]*) \(((?:rw|ro)(?:,[^)]+)?)\)$`)
)

// storage are the filesystems that hold data, apart from those of devices.
var storage = set("zfs nfs nfs4 cifs ceph overlay tmpfs btrfs fuse.sshfs virtiofs 9p")

var mounts = file{
	starts: func(line string) bool { return mountsLine.MatchString(line) || mountLine.MatchString(line) },
	take: func(r *reader, line string) bool {
		found := mountsLine.FindStringSubmatch(line)
		if found == nil {
			found = mountLine.FindStringSubmatch(line)
		}
		if found == nil {
			return false
		}
		r.understood()
		if strings.HasPrefix(found[1], "/dev/") || storage[found[3]] && !strings.HasPrefix(found[2], "/run") && !strings.HasPrefix(found[2], "/sys") {
			r.fact("/proc/mounts", "mounts."+found[2], found[1]+" "+found[3]+" "+found[4])
		}
		return true
	},
}

var (
	sysctlLine  = regexp.MustCompile(`^((?:vm|kernel|fs|net|dev|abi|debug|user|crypto|sunrpc)(?:[./][A-Za-z0-9_:@*-]+)+) = ?(.*)$`)
	sysctlError = regexp.MustCompile(`^sysctl: (?:reading key|permission denied on key|cannot stat) .*$`)
)

// sysctlKept are the beginnings of the settings that are kept.
var sysctlKept = []string{
	"vm.", "kernel.sched_", "kernel.numa_balancing", "kernel.shm", "kernel.sem", "kernel.osrelease", "kernel.version", "kernel.threads-max",
	"kernel.pid_max", "kernel.timer_migration", "fs.aio-", "fs.file-max", "fs.nr_open", "net.core.", "net.ipv4.tcp_", "net.ipv4.ip_local_port_range",
}

var sysctl = file{
	starts: func(line string) bool { return sysctlLine.MatchString(line) },
	take: func(r *reader, line string) bool {
		found := sysctlLine.FindStringSubmatch(line)
		if found == nil {
			return r.last != "" && sysctlError.MatchString(line)
		}
		r.understood()
		for _, prefix := range sysctlKept {
			if strings.HasPrefix(found[1], prefix) {
				r.fact("sysctl", found[1], found[2])
				break
			}
		}
		return true
	},
}
