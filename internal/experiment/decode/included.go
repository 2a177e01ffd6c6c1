package decode

import (
	"errors"
	"path/filepath"
	"strings"

	"plinth/internal/device"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/profile"
	"plinth/internal/strictyaml"
)

// isDeviceFile says whether a word names a device file and not a device of the
// catalog.
func isDeviceFile(word string) bool {
	return strings.ContainsRune(word, filepath.Separator) || strings.HasSuffix(word, ".yaml")
}

// deviceFiles reads the device files that emulations name and puts the models in
// their place, so that the experiment stands alone.
func (d *decoder) deviceFiles(e *experiment.Experiment, dir string) {
	for i := range e.Environments {
		for _, v := range e.Environments[i].Volumes() {
			for _, disk := range v.Disks() {
				d.deviceFile(&disk.Emulate, dir)
			}
		}
	}
}

func (d *decoder) deviceFile(e *experiment.Emulation, dir string) {
	file := &e.Name
	if e.RAID != "" {
		file = &e.Of
	}
	if d.Broken[e] || e.Model != nil || !isDeviceFile(*file) {
		return
	}
	place, name := d.Places[file], *file
	text, err := readScript(dir, name)
	if err != nil {
		d.Add(place, "plinth devices lists the devices that need no file", "cannot read %s: %v", strictyaml.Bare(name), err)
		d.Broken[e] = true
		return
	}
	model, err := device.ReadFile([]byte(text))
	if err == nil && e.RAID != "" {
		model, err = e.Array(model)
	}
	if err != nil {
		d.Add(place, hint.Of(err), "%s: %v", strictyaml.Bare(name), err)
		d.Broken[e] = true
		return
	}
	*e = experiment.Emulation{Name: stem(name), Model: &model}
	for _, key := range []any{&e.RAID, &e.Of, &e.Members, &e.Chunk} {
		delete(d.Places, key) // they are in the model now
	}
}

// profileFiles reads the files that tuning names and puts the profiles in their place,
// so that the experiment stands alone. Names of profiles that plinth has stay names.
func (d *decoder) profileFiles(e *experiment.Experiment, dir string) {
	for i := range e.Environments {
		for j := range e.Environments[i].Tuning {
			if t := &e.Environments[i].Tuning[j]; !d.Broken[t] && isDeviceFile(t.Name) {
				d.profileFile(t, dir)
			}
		}
	}
}

func (d *decoder) profileFile(t *experiment.Tuning, dir string) {
	place, file := d.Places[&t.Name], t.Name
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	var read *profile.Profile
	err := errors.New("cannot read " + t.Name + ": this experiment has no directory to read files from")
	if dir != "" {
		read, err = profile.Read(file)
	}
	if err != nil {
		d.Refused(place, err, "")
		d.Broken[t] = true
		return
	}
	*t = experiment.Tuning{Profile: read}
}
