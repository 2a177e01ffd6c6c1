package advice

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/device"
	"plinth/internal/record"
	"plinth/internal/unit"
)

// volume is a volume of a server as its model says, with its disks.
type volume struct {
	role  string
	disks int
	iops  float64 // of an EBS volume; 0 for a local drive
}

// volumes returns the volumes of an environment whose models are known.
func (s *study) volumes(environment string) []volume {
	var all []volume
	for _, v := range s.Record.Environments[environment].Volumes {
		whole, known := v.Model()
		if !known {
			continue
		}
		share := 1.0 // of the rates that are paid; 0 in the record of a device that was not scaled
		if v.Emulation != nil {
			share = cmp.Or(v.Emulation.RateScale, 1)
		}
		one, d := volume{role: v.Role, disks: 1}, whole.Member()
		if whole.Array != nil {
			one.disks = whole.Array.Members
		}
		if entry, err := device.Find(d.Name); err == nil && entry.Survives == "server" {
			one.iops = float64(one.disks) * d.IOPS.Rate / share // as paid: a scaled model has a share of it
		}
		all = append(all, one)
	}
	return all
}

// memoryLinear finds pairs of environments of which one has several times the other's shared_buffers, and does
// not have its throughput grow so.
func memoryLinear(s *study, f Flaw) []string {
	var all []string
	base := s.Experiment.Baseline
	from := buffersOf(s.Record.Environments[base])
	for _, r := range s.sheet.Rows {
		to := buffersOf(s.Record.Environments[r.Environment])
		b, known := s.row(base, r.Workload)
		if r.Environment == base || !known || from <= 0 || to < f.Limit*from || !r.TPS.Known() || !b.TPS.Known() {
			continue
		}
		if memory, gain := to/from, r.TPS.Value/b.TPS.Value; gain < 1+(memory-1)/2 {
			all = append(all, fmt.Sprintf("%s, %s: %.3g times the shared_buffers of %s have %.3g times its TPS", r.Environment, r.Workload, memory, base, gain))
		}
	}
	return all
}

func buffersOf(e record.Environment) float64 { return float64(e.Dataset.SharedBuffers) }

// dirtyPages finds many dirty pages under the kernel's default limits, on a machine that is known to have them.
func dirtyPages(s *study, f Flaw) []string {
	if s.Record.Machine == nil {
		return nil
	}
	found := map[string]string{}
	for _, setting := range s.Record.Machine.Sysctl {
		found[setting.Name] = setting.Value
	}
	if found["vm.dirty_ratio"] != "20" || found["vm.dirty_background_ratio"] != "10" {
		return nil
	}
	var all []string
	for _, r := range s.sheet.Rows {
		if tuned(s.Record.Environments[r.Environment], "vm.dirty") {
			continue
		}
		if dirty := s.figure(r.Environment, r.Workload, "dirty-peak"); dirty > f.Limit {
			all = append(all, fmt.Sprintf("%s, %s: up to %s MB of dirty pages, with vm.dirty_background_ratio at its default of 10", r.Environment, r.Workload, count(dirty/1e6)))
		}
	}
	return all
}

// tuned reports whether a knob was set for an environment whose key begins so.
func tuned(e record.Environment, key string) bool {
	return e.Tuning != nil && slices.ContainsFunc(e.Tuning.Knobs, func(k record.Knob) bool { return strings.HasPrefix(k.Key, key) })
}

// backgroundWriter finds backends that wrote many pages themselves while the background writer has its defaults.
func backgroundWriter(s *study, f Flaw) []string {
	var all []string
	for _, r := range s.sheet.Rows {
		set := s.Record.Environments[r.Environment].Settings
		if delay, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(set["bgwriter_delay"]), "ms")); err != nil || delay != 200 {
			continue
		}
		if share := s.figure(r.Environment, r.Workload, "buffers-backend-over-alloc"); share > f.Limit {
			all = append(all, fmt.Sprintf("%s, %s: backends wrote %.0f %% as many pages as were allocated, with bgwriter_delay at its default of 200ms", r.Environment, r.Workload, 100*share))
		}
	}
	return all
}

var ofCheckpoints = regexp.MustCompile(`^(checkpoint_|max_wal_size$|min_wal_size$)`)

// checkpointsOnly finds environments that set something for checkpoints, but neither for the background writer
// nor for the kernel's write-back, and whose throughput varies: writes wait for checkpoints.
func checkpointsOnly(s *study, f Flaw) []string {
	var all []string
	for _, e := range s.sheet.Environments {
		made := s.Record.Environments[e.Name]
		checkpoints, others := "", tuned(made, "vm.dirty")
		for name := range made.Declared {
			if ofCheckpoints.MatchString(name) && (checkpoints == "" || name < checkpoints) {
				checkpoints = name
			}
			others = others || strings.HasPrefix(name, "bgwriter_")
		}
		variation := s.figure(e.Name, "", "tps-variation")
		if checkpoints != "" && !others && variation > f.Limit { // never if it is not known: NaN
			all = append(all, fmt.Sprintf("%s: %s is set, and nothing of the background writer or the kernel's write-back; TPS vary by %.0f %%", e.Name, checkpoints, 100*variation))
		}
	}
	return all
}

// disksLinear finds arrays under loads with fewer clients than disks: each client waits for one disk at a time.
func disksLinear(s *study, _ Flaw) []string {
	var all []string
	for _, e := range s.sheet.Environments {
		for _, v := range s.volumes(e.Name) {
			for _, c := range s.Experiment.Cells() {
				if v.disks > 1 && c.Clients < v.disks {
					all = append(all, fmt.Sprintf("%s, %s: %d disks for %s, and %s; a client waits for one request at a time", e.Name, c.Path(), v.disks, v.role, unit.Count(c.Clients, "client")))
				}
			}
		}
	}
	return all
}
