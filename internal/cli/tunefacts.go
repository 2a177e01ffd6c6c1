package cli

import (
	"strconv"

	"plinth/internal/host"
	"plinth/internal/inspect"
	"plinth/internal/profile"
	"plinth/internal/tune"
)

// factsOfTuning are what expressions of profiles are about: the machine, the server, and
// the disks that were probed.
func factsOfTuning(seen inspect.Inspection) profile.Facts {
	f := tune.FactsOf(seen.Machine)
	f.Settings = map[string]string{}
	switch {
	case seen.Server != nil:
		f.Engine, f.Version = "postgres", seen.Server.VersionN/10000
		for _, s := range seen.Server.Settings {
			f.Settings[s.Name] = s.Value
		}
		f.Connections, _ = strconv.Atoi(f.Settings["max_connections"])
	case seen.Redis != nil:
		f.Engine, f.Version, f.Settings = "redis", seen.Redis.VersionN/10000, seen.Redis.Settings
		f.Connections, _ = strconv.Atoi(f.Settings["maxclients"])
	}
	return f
}

// addDisks adds what device files say of the disks.
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

// diskOf is the disk of a role, as far as it is known.
func (f *tuneFlags) diskOf(role string, machine host.Inventory) (profile.Disk, error) {
	disk := profile.Disk{Rotational: rotational(machine, role)}
	name, err := f.probeOf(role)
	if err != nil || name == "" {
		return disk, err
	}
	e, err := findDevice(name)
	if err != nil {
		return disk, err
	}
	return tune.DiskOf(e.Device, disk.Rotational), nil
}

// placeOf is the place of a role: that of the WAL is the data's where it has none of its
// own.
func placeOf(machine host.Inventory, role string) (host.Place, bool) {
	for _, wanted := range []string{role, "data"} {
		for _, p := range machine.Places {
			if p.Role == wanted {
				return p, true
			}
		}
	}
	return host.Place{}, false
}

// sameDisk says whether data and WAL lie on one device, or it is not known where they
// lie.
func sameDisk(machine host.Inventory) bool {
	data, _ := placeOf(machine, "data")
	wal, _ := placeOf(machine, "wal")
	return data.Device() == wal.Device()
}

// rotational says whether what holds a role are disks that turn.
func rotational(machine host.Inventory, role string) bool {
	place, _ := placeOf(machine, role)
	for _, name := range place.Disks {
		for _, d := range machine.Disks {
			if d.Name == name && d.Rotational {
				return true
			}
		}
	}
	return false
}

// targetsOf are what the roles of a plan stand for on this machine. A WAL that lies with
// the data has no disk of its own, and nothing is to be set for it.
func targetsOf(machine host.Inventory, domain string) tune.Targets {
	t := tune.Targets{Devices: map[string]string{}, Mounts: map[string]string{}, Domain: domain}
	for _, role := range []string{"data", "wal"} {
		place, known := placeOf(machine, role)
		if !known {
			continue
		}
		if name := place.Device(); name != "" && name != t.Devices["data"] {
			t.Devices[role] = name
		}
		if f, err := host.FilesystemOf(place.Path); err == nil && f.MountPoint != t.Mounts["data"] {
			t.Mounts[role] = f.MountPoint
		}
	}
	return t
}
