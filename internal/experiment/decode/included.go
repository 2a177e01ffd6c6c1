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

// isDeviceFile reports whether a name is that of a file, not of a catalog device or built-in profile.
func isDeviceFile(word string) bool {
	return strings.ContainsRune(word, filepath.Separator) || strings.HasSuffix(word, ".yaml")
}

// deviceFiles replaces the model files of emulations by their models, so that the experiment is
// self-contained.
func (d *decoder) deviceFiles(e *experiment.Experiment, dir string) {
	for i := range e.Environments {
		for _, v := range e.Environments[i].Volumes() {
			for _, disk := range v.Disks() {
				d.deviceFile(&disk.Emulate, dir)
				d.deviceFile(&disk.Is, dir)
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
		delete(d.Places, key) // now part of the model
	}
}

// profileFiles replaces the profile files of tuning by their profiles, so that the experiment is
// self-contained. Names of built-in profiles remain names.
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
	if strictyaml.LooksSecret(file) { // a connection string in the wrong place
		d.Add(place, "run plinth tune profiles for the built-in ones", "%s is not a profile", strictyaml.Bare(file))
		d.Broken[t] = true
		return
	}
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
