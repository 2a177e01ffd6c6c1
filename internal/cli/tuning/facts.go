package tuning

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/cli/base"
	"plinth/internal/engine/postgres"
	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/inspect"
	"plinth/internal/profile"
	"plinth/internal/tune"
)

// factsOfTuning returns the facts that expressions of profiles may use, of the machine and the
// server; addDisks adds those of the disks.
func factsOfTuning(seen inspect.Inspection) profile.Facts {
	machine, ofServer := seen.Machine, seen.Server != nil || seen.Redis != nil
	if limits := host.GroupLimits(seen.PID); seen.PID > 0 && limits.Version > 0 { // its container may have less than plinth
		machine.Cgroup = limits
	}
	f := tune.FactsOf(machine)
	if ofServer && !seen.Here { // what this machine has says nothing about the server
		f = profile.Facts{}
	}
	f.Settings = map[string]string{}
	switch {
	case seen.Server != nil:
		f.Engine, f.Version = "postgres", seen.Server.VersionN/10000
		for _, s := range seen.Server.Settings {
			if s.Name == "wal_buffers" && !s.Changed { // the server computes it from shared_buffers
				continue
			}
			f.Settings[s.Name] = s.Value
			if bytes, known := s.Bytes(); known && s.Name == "wal_segment_size" {
				f.WALSegment = bytes
			}
		}
		f.Connections, _ = strconv.Atoi(f.Settings["max_connections"])
	case seen.Redis != nil:
		f.Engine, f.Version, f.Settings = "redis", seen.Redis.VersionN/10000, seen.Redis.Settings
		f.Connections, _ = strconv.Atoi(f.Settings["maxclients"])
	}
	return f
}

// addDisks adds the facts of the disks, from model files.
func (f *tuneFlags) addDisks(facts *profile.Facts, machine host.Inventory) error {
	data, err := f.diskOf("data", machine)
	if err != nil {
		return err
	}
	wal, err := f.diskOf("wal", machine)
	if err != nil {
		return err
	}
	if !wal.Probed && data.Probed && sameDisk(machine) {
		wal = data
	}
	facts.Disk, facts.WAL = data, wal
	return nil
}

// diskOf returns what is known of a role's disk.
func (f *tuneFlags) diskOf(role string, machine host.Inventory) (profile.Disk, error) {
	place, _ := placeOf(machine, role)
	turns := func(d host.Disk) bool { return d.Rotational && slices.Contains(place.Disks, d.Name) }
	disk := profile.Disk{Rotational: slices.ContainsFunc(machine.Disks, turns), Size: place.Size, ReadAhead: place.ReadAhead()}
	name, err := f.probeOf(role)
	if err != nil || name == "" {
		return disk, err
	}
	e, err := base.FindDevice(name)
	if err != nil {
		return disk, err
	}
	probed := tune.DiskOf(e.Device, disk.Rotational)
	probed.Size, probed.ReadAhead = disk.Size, disk.ReadAhead
	return probed, nil
}

// sameDisk reports whether data and WAL are on one device, or neither device is known.
func sameDisk(machine host.Inventory) bool {
	data, _ := placeOf(machine, "data")
	wal, _ := placeOf(machine, "wal")
	return data.Device() == wal.Device()
}

// pagesFact is a fact that takes a second to determine, so it is determined only if used.
const pagesFact = "huge_pages_needed"

// work evaluates the profiles. If they use pagesFact, it evaluates them again with the huge pages
// that the server would need with their values.
func (f *tuneFlags) work(ctx context.Context, profiles []*profile.Profile, facts profile.Facts) (profile.Worked, error) {
	worked, err := profile.Work(facts.Engine, profiles, f.without, facts)
	if err != nil || !uses(profiles, pagesFact) || facts.Engine == "redis" {
		return worked, err
	}
	settings := map[string]string{}
	for name, value := range facts.Settings {
		settings[name] = value
	}
	for _, v := range worked.Values {
		if v.NotApplicable == "" && v.Layer == "server" {
			settings[strings.ToLower(v.Key.Knob)] = v.Value
		}
	}
	if size := settings["huge_page_size"]; size != "" && size != "0" { // the server counts pages of that size
		return worked, nil
	}
	var from string
	if facts.HugePagesNeeded, from = hugePages(ctx, facts, settings); facts.HugePagesNeeded == 0 {
		return worked, nil
	}
	worked, err = profile.Work(facts.Engine, profiles, f.without, facts)
	for i := range worked.Values {
		if strings.Contains(worked.Values[i].Reason, pagesFact) {
			worked.Values[i].Reason += "; " + from
		}
	}
	return worked, err
}

// hugePages returns the number of huge pages that a server would need with some settings, and the
// source of that number.
func hugePages(ctx context.Context, facts profile.Facts, settings map[string]string) (pages int64, from string) {
	changed := false
	for name, value := range settings {
		changed = changed || postgres.Sizes(name) && facts.Settings[name] != value
	}
	if own, err := strconv.ParseInt(facts.Settings["shared_memory_size_in_huge_pages"], 10, 64); err == nil && own > 0 && !changed {
		return own, "huge_pages_needed is the server's own shared_memory_size_in_huge_pages"
	}
	n, err := postgres.HugePagesWith(ctx, experiment.Postgres{Version: facts.Version}, settings)
	if err == nil {
		return n, "huge_pages_needed is from postgres -C shared_memory_size_in_huge_pages with these values"
	}
	buffers := settings["shared_buffers"]
	if buffers == "" {
		buffers = "128MB"
	}
	n, estimate := postgres.HugePagesAbout(buffers, facts.HugePage)
	if estimate != nil {
		return 0, ""
	}
	return n, fmt.Sprintf("huge_pages_needed is an estimate, shared_buffers plus 3 %% and 32 MiB: %s", err)
}

// uses reports whether an expression of a profile uses a fact.
func uses(profiles []*profile.Profile, fact string) bool {
	for _, p := range profiles {
		settings, err := p.Flat()
		if err != nil {
			return false // Work has reported it
		}
		for _, s := range settings {
			if strings.Contains(s.Value+s.When, fact) {
				return true
			}
		}
	}
	return false
}
