package host

import (
	"errors"
	"io/fs"
	"strings"

	"plinth/internal/host/sysfs"
)

// sysctls lists kernel settings that affect databases and their benchmarks, as glob patterns
// below /proc/sys (Documentation/admin-guide/sysctl/{vm,kernel,fs,net}.rst). Reading all of
// them was rejected: there are a thousand, and some are secrets or have side effects when read.
var sysctls = []string{
	"vm/dirty*",
	"vm/swappiness", "vm/page-cluster", "vm/vfs_cache_pressure",
	"vm/overcommit_*", "vm/max_map_count",
	"vm/nr_hugepages", "vm/nr_overcommit_hugepages", "vm/hugetlb_shm_group",
	"vm/zone_reclaim_mode", "vm/min_free_kbytes", "vm/watermark_*", "vm/compaction_proactiveness",
	"kernel/sched_*", "kernel/numa_balancing*", "kernel/nmi_watchdog", "kernel/timer_migration",
	"kernel/sem", "kernel/shmmax", "kernel/shmall", "kernel/shmmni", "kernel/threads-max", "kernel/pid_max",
	"fs/file-max", "fs/nr_open", "fs/aio-max-nr", "fs/aio-nr", "kernel/io_uring_disabled",
	"net/core/somaxconn", "net/ipv4/ip_local_port_range", "net/ipv4/tcp_max_syn_backlog",
}

func (i *Inventory) addSysctl(root fs.FS) {
	const dir = "proc/sys/"
	if _, err := fs.Stat(root, dir+"vm"); err != nil {
		i.gap("sysctl", err)
	}
	for _, pattern := range sysctls {
		files, _ := fs.Glob(root, dir+pattern)
		for _, file := range files {
			name := strings.ReplaceAll(strings.TrimPrefix(file, dir), "/", ".")
			i.Sysctl = appendSetting(i.Sysctl, root, name, file)
		}
	}
}

// addMitigations adds the kernel's mitigations of CPU vulnerabilities, which are expensive for
// some loads (Documentation/admin-guide/hw-vuln).
func (i *Inventory) addMitigations(root fs.FS) {
	const dir = sysfs.CPUs + "/vulnerabilities"
	entries, err := fs.ReadDir(root, dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		i.gap("mitigations", err)
	}
	for _, entry := range entries {
		if sysfs.Word(root, dir+"/"+entry.Name()) != "Not affected" {
			i.Mitigations = appendSetting(i.Mitigations, root, entry.Name(), dir+"/"+entry.Name())
		}
	}
}

// appendSetting appends the content of a one-line file with its white space folded. The value
// of a file that only root can read says so.
func appendSetting(all []Setting, root fs.FS, name, file string) []Setting {
	if info, err := fs.Stat(root, file); err != nil || info.IsDir() {
		return all // kernel/sched_domain is a directory
	}
	if value, there := setting(root, file); there && value != "" {
		all = append(all, Setting{name, value})
	}
	return all
}
