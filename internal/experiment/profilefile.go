package experiment

import (
	"errors"
	"path/filepath"

	"plinth/internal/profile"
)

// profileFiles reads the files that tuning names and puts the profiles in their place,
// so that the experiment stands alone. Names of profiles that plinth has stay names.
func (d *decoder) profileFiles(e *Experiment, dir string) {
	for i := range e.Environments {
		for j := range e.Environments[i].Tuning {
			if t := &e.Environments[i].Tuning[j]; !d.broken[t] && isDeviceFile(t.Name) {
				d.profileFile(t, dir)
			}
		}
	}
}

func (d *decoder) profileFile(t *Tuning, dir string) {
	place, file := d.places[&t.Name], t.Name
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	var read *profile.Profile
	err := errors.New("cannot read " + t.Name + ": this experiment has no directory to read files from")
	if dir != "" {
		read, err = profile.Read(file)
	}
	if err != nil {
		d.refused(place, err, "")
		d.broken[t] = true
		return
	}
	*t = Tuning{Profile: read}
}
