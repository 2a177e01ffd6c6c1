package validity

import "testing"

var generatorTrials = []trial{
	{"threads all busy", func(c *Case) { c.Run.Evidence.Generator.CPU = 108 }, "generator-saturated!",
		"the 2 threads of the load generator spent 98.3 % of the time busy or waiting for a CPU while 2.3 of 4 cores were idle"},
	{"threads nearly all busy", func(c *Case) { c.Run.Evidence.Generator.CPU = 103 }, "", ""},
	{"one starved thread", func(c *Case) {
		c.Run.Threads = 1
		c.Run.Evidence.Generator.Threads, c.Run.Evidence.Generator.CPU, c.Run.Evidence.Generator.Waiting = 1, 40, 18
	}, "generator-saturated!", "the 1 thread of the load generator"},
	{"no core idle", func(c *Case) {
		c.Run.Evidence.Generator.CPU = 108
		c.Run.Evidence.Machine.User, c.Run.Evidence.Machine.Idle, c.Run.Evidence.Machine.IOWait = 172, 28, 0
	}, "", ""},
	{"a core that waits for a disk is idle", func(c *Case) {
		c.Run.Evidence.Generator.CPU = 108
		c.Run.Evidence.Machine.User, c.Run.Evidence.Machine.Idle, c.Run.Evidence.Machine.IOWait = 172, 0, 30
	}, "generator-saturated!", ""},
	{"threads that drive no client", func(c *Case) {
		c.Run.Threads = 1
		c.Run.Evidence.Generator.Threads, c.Run.Evidence.Generator.CPU, c.Run.Evidence.Generator.Waiting = 9, 57, 1
	}, "generator-saturated!", "the 1 thread of the load generator"},
	{"more threads than cores, that wait for one", func(c *Case) {
		c.Run.Threads = 8
		c.Run.Evidence.Generator.Threads, c.Run.Evidence.Generator.CPU, c.Run.Evidence.Generator.Waiting = 8, 100, 350
	}, "", ""}, // 450 of 480 s
	{"more threads than cores, and no time left", func(c *Case) {
		c.Run.Threads = 8
		c.Run.Evidence.Generator.Threads, c.Run.Evidence.Generator.CPU, c.Run.Evidence.Generator.Waiting = 8, 100, 370
	}, "generator-saturated!", "the 8 threads of the load generator spent 97.9 % of the time busy or waiting for a CPU"},
	{"only cores that it may not use are idle", func(c *Case) {
		c.Run.Evidence.Generator.CPU, c.Run.Evidence.Machine.CPUs = 108, 2
	}, "", ""},
	{"some cores that it may use must be idle", func(c *Case) {
		c.Run.Evidence.Generator.CPU, c.Run.Evidence.Machine.CPUs = 108, 2
		c.Run.Evidence.Machine.User, c.Run.Evidence.Machine.Idle = 20, 160
	}, "generator-saturated!", "while 1 of 2 cores were idle"},

	{"held back", func(c *Case) { c.Run.Result.Latency.Mean = 7.5e6 }, "generator-held-back",
		"for 6.25 % of the time clients were not waiting for the server (Little's law: 1000 transactions a second x 7.5 ms is less than 8 clients)"},
	{"hardly held back", func(c *Case) { c.Run.Result.Latency.Mean = 7.62e6 }, "", ""},
	{"the window's end may explain it", func(c *Case) {
		c.Run.Result.Latency.Mean, c.Run.Result.Latency.Max = 7.5e6, 2e9
	}, "", ""},
	{"open loop", func(c *Case) {
		atRate(1000, 60_000, 0, 0)(c)
		c.Run.Result.Latency.Mean = 1e6
	}, "", ""},
	{"connecting is in no latency", func(c *Case) {
		c.Experiment.Connect, c.Run.Result.Latency.Mean = "each", 1e6
	}, "", ""},
}

func TestGap(t *testing.T) {
	run := *sound().Run
	run.Result.TPS, run.Result.Latency.Mean, run.Clients = 7200, 1e6, 10
	if gap, known := Gap(run); !known || gap < 0.2799 || gap > 0.2801 {
		t.Errorf("gap %v, %v; want 0.28", gap, known)
	}
	run.Result.Failures = 1
	if gap, known := Gap(run); known {
		t.Errorf("gap %v although a transaction failed", gap)
	}
	run.Result.Failures, run.Result.Partial = 0, true
	if gap, known := Gap(run); known {
		t.Errorf("gap %v although latencies are of a part", gap)
	}
	run.Result.Partial, run.Clients = false, 0
	if gap, known := Gap(run); known {
		t.Errorf("gap %v without clients", gap)
	}
}
