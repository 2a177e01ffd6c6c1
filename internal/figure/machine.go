package figure

// modes are those of /proc/stat that together are the time of all CPUs: guest time
// is in user and nice already (proc_stat(5)).
var (
	working = []string{"stat.cpu.user", "stat.cpu.nice", "stat.cpu.system", "stat.cpu.irq", "stat.cpu.softirq"}
	modes   = append([]string{"stat.cpu.idle", "stat.cpu.iowait", "stat.cpu.steal"}, working...)
)

// cpu is who used the CPUs: shares of the time of all of them.
func (m *maker) cpu() {
	m.put("cpu-use", m.share(working, modes))
	for _, owner := range []string{"server", "generator", "plinth", "others"} {
		m.put("cpu-by-"+owner, m.share([]string{"process." + owner + ".cpu"}, modes))
	}
	m.put("cpu-iowait", m.share([]string{"stat.cpu.iowait"}, modes))
	m.put("cpu-steal", m.share([]string{"stat.cpu.steal"}, modes))
}

// memory is how much of it was dirty, and in use.
func (m *maker) memory() {
	peak, second := m.of("meminfo.Dirty").most()
	m.put("dirty-peak", peak)
	m.put("dirty-peak-second", second)
	free := m.share([]string{"meminfo.MemAvailable"}, []string{"meminfo.MemTotal"})
	m.put("memory-use", number{1 - free.value, free.why})
}

// pressure is how long tasks waited for the machine
// (Documentation/accounting/psi.rst).
func (m *maker) pressure() {
	for _, of := range []string{"cpu", "io", "memory"} {
		m.put(of+"-pressure", m.of("pressure."+of+".some").mean())
	}
}
