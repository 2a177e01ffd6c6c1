package volume

import (
	"path/filepath"
	"strings"

	"plinth/internal/device"
	"plinth/internal/host"
	"plinth/internal/record"
	"plinth/internal/unit"
)

// readMade reads the facts of the new volume.
func (v *Volume) readMade(block string) (err error) {
	if v.facts, err = readFacts(v.Path); err != nil {
		return err
	}
	v.facts.Role, v.facts.Path = v.Role, v.Path
	v.facts.Made = v.inWords()
	for _, risk := range v.part.Volume.UnsafeOptions() {
		v.facts.Unsafe = append(v.facts.Unsafe, risk.Option)
	}
	v.facts.Device = sysNameOf(block)
	if v.facts.Emulation, err = v.emulation(); err != nil || v.facts.Emulation == nil {
		return err
	}
	// To the server, the emulated device is the disk; what is below it concerns only the
	// emulator, which may serve the device over NBD without a network.
	v.facts.Disks, v.facts.Remote = nil, nil
	for _, d := range v.disks {
		v.facts.Disks = append(v.facts.Disks, sysNameOf(d.path))
	}
	return nil
}

// sysNameOf returns a device's name in /sys, resolving links.
func sysNameOf(device string) string {
	if path, err := filepath.EvalSymlinks(device); err == nil {
		device = path
	}
	return sysName(device)
}

// inWords describes what was created, from the disk up.
func (v *Volume) inWords() []string {
	var words []string
	for _, d := range v.disks {
		words = append(words, d.made)
	}
	asked := v.part.Volume
	if asked.RAID != "" {
		words = append(words, raidInWords(asked))
	}
	for _, s := range []struct{ name, value string }{
		{"read-ahead", sizeWord(asked.ReadAhead)}, {"scheduler", asked.Scheduler},
	} {
		if s.value != "" {
			words = append(words, s.name+" "+s.value)
		}
	}
	return append(words, strings.Join(append([]string{asked.FilesystemOr()}, asked.Mkfs...), " "))
}

func sizeWord(s unit.Size) string {
	if s == 0 {
		return ""
	}
	return s.String()
}

// emulation describes how the volume is emulated; nil if any of its disks is real. Members of an
// array are alike; the worst of their paths counts.
func (v *Volume) emulation() (e *record.Emulation, err error) {
	for n, d := range v.disks {
		if d.emulator == nil {
			return nil, nil
		}
		if n == 0 {
			e = &record.Emulation{Model: d.model, RateScale: v.options.rateScale(), Form: string(d.form), Backing: d.backing,
				CeilingRead: d.path8.ReadIOPS, CeilingWrite: d.path8.WriteIOPS}
		}
		e.PathRead, e.PathWrite = max(e.PathRead, int64(d.path8.Read)), max(e.PathWrite, int64(d.path8.Write))
		e.CeilingRead, e.CeilingWrite = min(e.CeilingRead, d.path8.ReadIOPS), min(e.CeilingWrite, d.path8.WriteIOPS)
	}
	e.Model, err = v.wholeModel()
	return e, err
}

// wholeModel returns the model of the volume: that of its only disk, or an array of its members,
// which are alike.
func (v *Volume) wholeModel() (device.Device, error) {
	asked, model := v.part.Volume, v.disks[0].model
	if asked.RAID == "" {
		return model, nil
	}
	level := map[string]int{"0": 0, "1": 1, "10": 10}[asked.RAID]
	whole, err := device.RAID(level, len(v.disks), asked.Chunk, model)
	whole.Name = raidInWords(asked)
	return whole, err
}

func readFacts(dir string) (record.Volume, error) {
	filesystem, err := host.FilesystemOf(dir)
	if err != nil {
		return record.Volume{}, err
	}
	size, err := host.TotalSpace(dir)
	if err != nil {
		return record.Volume{}, err
	}
	free, err := host.FreeSpace(dir)
	if err != nil {
		return record.Volume{}, err
	}
	v := record.Volume{Filesystem: filesystem.Type, Options: filesystem.Options,
		Source: filesystem.Source, Size: size, Free: free}
	// The disks underneath explain numbers; if they are unknown, only disk telemetry is lost.
	if place, err := host.PlaceOf("", dir); err == nil {
		v.Device, v.Disks, v.Remote = place.Device(), place.Disks, place.Remote
	}
	return v, nil
}
