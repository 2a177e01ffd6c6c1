package experiment

import "slices"

// WithOwnData returns the environments that do not share the data of another one.
func (e *Experiment) WithOwnData() []Environment {
	return slices.DeleteFunc(slices.Clone(e.Environments), func(env Environment) bool { return env.DataOf != "" })
}

// ApartFromSettings returns an environment without its names, its settings and its tuning. With
// dataset.shared, environments that are equal in the rest share their data, unless their tuning makes a
// difference to their disks or CPUs.
func (e Environment) ApartFromSettings() Environment {
	e.Name, e.Label, e.Facts, e.Settings, e.Tuning, e.Without, e.DataOf = "", "", nil, nil, nil, nil, ""
	return e
}
