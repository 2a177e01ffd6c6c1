package validity

var machineTrials = []trial{
	{"touched", func(c *Case) {
		c.Run.Evidence.Changed = []string{"governor of cpu0: performance then, powersave now", "swap: off then, on now"}
	}, "machine-touched!", "performance then, powersave now; swap: off then, on now"},
	{"stolen", func(c *Case) { c.Run.Evidence.Machine.Steal = 3 }, "steal", "gave 1.23 % of the CPU time to other virtual machines"},
	{"hardly stolen", func(c *Case) { c.Run.Evidence.Machine.Steal = 2.4 }, "", ""},
	{"hot", func(c *Case) { c.Run.Evidence.Machine.Thermal = 1 }, "thermal", "1 time"},
	{"short of memory", func(c *Case) { c.Run.Evidence.Machine.MemoryStall = 0.7 }, "memory-pressure", "for 1.17 % of the time"},
	{"hardly short of memory", func(c *Case) { c.Run.Evidence.Machine.MemoryStall = 0.6 }, "", ""},
	{"swapping", func(c *Case) { c.Run.Evidence.Machine.SwapIn, c.Run.Evidence.Machine.SwapOut = 1, 256 }, "swapping", "1 page in, 256 out"},
	{"a daemon woke up", func(c *Case) { c.Run.Evidence.Machine.SwapIn = 256 }, "", ""},
	{"throttled", func(c *Case) { c.Run.Evidence.Machine.Throttled = 3 }, "quota", "withheld 1.25 % of the CPU time"},
	{"hardly throttled", func(c *Case) { c.Run.Evidence.Machine.Throttled = 2.4 }, "", ""},
	{"others ran", func(c *Case) { c.Run.Evidence.Machine.Others = 8.5 }, "others-cpu", "used 3.04 % of 4 CPUs (8.5s of CPU time)"},
	{"others hardly ran", func(c *Case) { c.Run.Evidence.Machine.Others = 8.3 }, "", ""},
	{"others wrote", func(c *Case) { c.Run.Evidence.Machine.OthersIO = 140 << 20 }, "others-io", "read and wrote 2MiB/s on disks"},
	{"others logged", func(c *Case) { c.Run.Evidence.Machine.OthersIO = 70 << 20 }, "", ""},
}
