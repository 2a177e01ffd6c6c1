package validity

import "plinth/internal/record"

func on(volumes ...record.Volume) func(*Case) {
	return func(c *Case) { c.Environment.Volumes = volumes }
}

var storageTrials = []trial{
	{"a directory", on(record.Volume{Role: "data"}), "", ""},
	{"unsafe", on(record.Volume{Role: "data"}, record.Volume{Role: "wal", Unsafe: []string{"nobarrier"}}),
		"unsafe", "can lose writes that this storage acknowledged (wal: nobarrier)"},
	{"emulated in full", on(record.Volume{Role: "data", Emulation: &record.Emulation{RateScale: 1}}), "", ""},
	{"emulated in part", on(record.Volume{Role: "data", Emulation: &record.Emulation{RateScale: 0.25}}),
		"rates-scaled", "are scaled to 25 % of their models"},
}
