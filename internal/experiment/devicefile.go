package experiment

import (
	"path/filepath"
	"strings"

	"plinth/internal/device"
	"plinth/internal/hint"
	"plinth/internal/strictyaml"
)

// isDeviceFile says whether a word names a device file and not a device of the
// catalog.
func isDeviceFile(word string) bool {
	return strings.ContainsRune(word, filepath.Separator) || strings.HasSuffix(word, ".yaml")
}

// deviceFiles reads the device files that emulations name and puts the models in
// their place, so that the experiment stands alone.
func (d *decoder) deviceFiles(e *Experiment, dir string) {
	for i := range e.Environments {
		for _, v := range e.Environments[i].volumes() {
			for _, disk := range v.disks() {
				d.deviceFile(&disk.Emulate, dir)
			}
		}
	}
}

func (d *decoder) deviceFile(e *Emulation, dir string) {
	file := &e.Name
	if e.RAID != "" {
		file = &e.Of
	}
	if d.broken[e] || e.Model != nil || !isDeviceFile(*file) {
		return
	}
	place, name := d.places[file], *file
	text, err := readScript(dir, name)
	if err != nil {
		d.add(place, "plinth devices shows the devices that need no file", "cannot read %s: %v", strictyaml.Bare(name), err)
		d.broken[e] = true
		return
	}
	model, err := device.ReadFile([]byte(text))
	if err == nil && e.RAID != "" {
		model, err = e.array(model)
	}
	if err != nil {
		d.add(place, hint.Of(err), "%s: %v", strictyaml.Bare(name), err)
		d.broken[e] = true
		return
	}
	*e = Emulation{Name: stem(name), Model: &model}
	for _, key := range []any{&e.RAID, &e.Of, &e.Members, &e.Chunk} {
		delete(d.places, key) // they are in the model now
	}
}
