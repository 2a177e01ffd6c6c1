package kernel

import "plinth/internal/host/proc"

// processStat is what is taken of /proc/PID/stat.
type processStat struct {
	state   byte
	parent  int
	threads int
	started uint64 // ticks after boot; tells processes of one id apart
	uses           // without bytes
}

func parseProcessStat(text []byte) (processStat, error) {
	p, err := proc.ParseProcess(text)
	return processStat{p.State, p.Parent, p.Threads, p.Started, uses{useOf(p.Self), useOf(p.Waited)}}, err
}

func useOf(p proc.ProcessUse) use {
	return use{useCPU: (p.User + p.System) * tick, useUser: p.User, useSystem: p.System, useMinor: p.Minor, useMajor: p.Major}
}

const tick = 1e9 / proc.Ticks // nanoseconds
