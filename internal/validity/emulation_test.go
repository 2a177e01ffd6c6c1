package validity

import (
	"time"

	"plinth/internal/record"
)

// proven returns the calibration of an emulated device of 1.8 ms that followed its model.
func proven() record.Calibration {
	return record.Calibration{
		Role: "wal", ExpectedRead: 1_800_000, MeasuredRead: 1_820_000, BoundRead: 90_000, ExpectedWrite: 2_000_000, MeasuredWrite: 1_980_000, BoundWrite: 100_000,
		Operations: 100, Answered: 60_000, LateMean: 40_000, LateP99: 200_000, CPU: 3,
	}
}

func with(change func(*record.Calibration)) func(*Case) {
	return func(c *Case) {
		p := proven()
		change(&p)
		c.Run.Calibrations = []record.Calibration{proven(), p}
	}
}

func ns(d time.Duration) int64 { return int64(d) }

var emulationTrials = []trial{
	{"proven", with(func(*record.Calibration) {}), "", ""},
	{"reads too slow", with(func(p *record.Calibration) { p.MeasuredRead = ns(1900 * time.Microsecond) }),
		"emulation-unproven!", "a read of the emulated wal device took 1.9ms, but its model specifies 1.8ms"},
	{"writes too quick", with(func(p *record.Calibration) { p.MeasuredWrite = ns(1800 * time.Microsecond) }),
		"emulation-unproven!", "a write of the emulated wal device took 1.8ms, but its model specifies 2ms"},
	{"adds nothing", with(func(p *record.Calibration) {
		p.ExpectedRead, p.ExpectedWrite, p.BoundRead, p.LateMean, p.LateP99 = 0, 0, 0, ns(time.Millisecond), ns(time.Second)
	}), "", ""},
	{"late", with(func(p *record.Calibration) { p.LateMean = ns(181 * time.Microsecond) }),
		"emulation-late!", "completed 181µs late on average; its model specifies 1.8ms"},
	{"late, and delays writes only", with(func(p *record.Calibration) {
		p.ExpectedRead, p.MeasuredRead, p.LateMean = 0, 0, ns(50*time.Millisecond)
	}), "emulation-late!", "completed 50ms late on average; its model specifies 2ms"},
	{"late now and then", with(func(p *record.Calibration) { p.LateP99 = ns(501 * time.Microsecond) }),
		"emulation-tail", "1 % of the operations of the emulated wal device were late by 501µs or more"},
	{"competes with the server", competing(6), "emulator-competes", "used 0.13 cores while all 4 were busy"},
	{"hardly competes with the server", competing(3), "", ""},
}

// competing leaves no idle CPU, with an emulator that used so many seconds of CPU time.
func competing(seconds float64) func(*Case) {
	return func(c *Case) {
		with(func(p *record.Calibration) { p.CPU = seconds })(c)
		c.Run.Evidence.Machine.Idle, c.Run.Evidence.Machine.IOWait = 4, 1
	}
}

var eventTrials = []trial{
	{"happened", func(c *Case) { c.Run.Events = []record.Event{{Name: "move", At: 20, Took: 3}} }, "", ""},
	{"failed", func(c *Case) {
		c.Run.Events = []record.Event{{Name: "move", At: 20, Error: "relation \"orders\" does not exist"}}
	}, "event-failed!", `move failed: relation "orders" does not exist`},
	{"outlasted the window", func(c *Case) { c.Run.Events = []record.Event{{Name: "dump", At: 50, Took: 12.5}} },
		"event-outlasted", "dump was still running 2.5s after the end of the measured window"},
	{"pressed", pressing(50<<20, 0), "", ""},
	{"hardly pressed", pressing(40<<20, 0), "pressure-short", "wrote 40MiB/s and read 0B/s, less than the requested 50MiB/s and 0B/s"},
	{"memory not filled", squeezing(record.Pressure{Memory: 0.7, CPU: 2}), "pressure-short", "held 70 % of the machine's memory, less than the requested 80 %"},
	{"CPUs not busy", squeezing(record.Pressure{Memory: 0.8, CPU: 1.2, Waiting: 0.3}), "pressure-short", "ran on 1.2 CPUs, fewer than the requested 2"},
	{"swapped out, and waiting for CPUs", squeezing(record.Pressure{Memory: 0.5, Swapped: 0.3, CPU: 1.1, Waiting: 0.9}), "", ""},
	{"waits for memory that a neighbour fills", func(c *Case) {
		squeezing(record.Pressure{Memory: 0.8, CPU: 2})(c)
		c.Run.Evidence.Machine.MemoryStall, c.Run.Evidence.Machine.SwapIn = 5, 10_000
	}, "", ""},
	{"neighbour killed", squeezing(record.Pressure{Memory: 0.8, CPU: 2, Killed: true}), "pressure-short", "killed when memory ran out; until then it held 80 %"},
	{"pressure unknown", func(c *Case) { c.Environment.Pressure = &record.Pressure{Volume: "data", Read: 1} },
		"pressure-short", "is not known"},
}

func pressing(write, read float64) func(*Case) {
	return func(c *Case) {
		c.Environment.Pressure = &record.Pressure{Volume: "data", Write: 50 << 20}
		c.Run.Pressure = &record.Pressure{Volume: "data", Write: write, Read: read}
	}
}

// squeezing requests background load of 80 % of the memory and 2 CPUs; it reached this much.
func squeezing(reached record.Pressure) func(*Case) {
	return func(c *Case) {
		c.Environment.Pressure = &record.Pressure{Memory: 0.8, CPU: 2}
		c.Run.Pressure = &reached
	}
}
