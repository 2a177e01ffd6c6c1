package inspect

import (
	"fmt"
	"slices"

	"plinth/internal/host"
)

var layerRules = []rule{
	{
		name: "array-degraded", weight: 85, about: ofMachine, check: degraded,
		benchmark:  "an array with a disk missing is another disk",
		production: "the next disk that fails may take the data with it",
		do:         "mdadm --detail /dev/{}; replace the disk",
	},
	{
		name: "array-busy", weight: 67, about: ofMachine, check: arrayBusy,
		benchmark:  "it reads and writes all disks of the array, at the speed of the load's leftovers",
		production: "wait until it is done; a degraded array is not safe before",
		do:         "cat /proc/mdstat; measure when it is done",
	},
	{
		name: "loop-device", weight: 50, about: ofMachine, check: loop,
		benchmark:  "each write goes through two filesystems, and flushes of one are not always flushes of the other",
		production: "the same, with two places to run full",
		do:         "put the filesystem on a disk, a partition or a logical volume",
	},
	{
		name: "encryption", weight: 19, about: ofMachine, check: crypt,
		benchmark: "every block costs CPU time, in threads of the kernel that are in nobody's account",
		do:        "compare with the same kind of disk in clear before blaming the disk; cryptsetup benchmark",
	},
}

// layered names the places above a device of which something holds, with the
// device.
func (in *Input) layered(holds func(host.Layer) bool) (places []string, device host.Layer) {
	for _, p := range in.Machine.Places {
		if i := slices.IndexFunc(p.Layers, holds); i >= 0 {
			places, device = append(places, p.Role), p.Layers[i]
		}
	}
	return places, device
}

func degraded(in *Input) evidence {
	places, d := in.layered(func(l host.Layer) bool { return l.Missing > 0 })
	if places == nil {
		return nothing
	}
	return found("%s lacks %s, below %s", d.Name, several(d.Missing, "disk"), list(places)).on(d.Name)
}

func arrayBusy(in *Input) evidence {
	places, d := in.layered(func(l host.Layer) bool { return l.Sync != "" })
	if places == nil {
		return nothing
	}
	return found("%s is at work on itself (%s), below %s", d.Name, d.Sync, list(places))
}

func loop(in *Input) evidence {
	places, d := in.layered(func(l host.Layer) bool { return l.Kind == "loop" })
	if places == nil {
		return nothing
	}
	e := found("%s %s in a file on another filesystem (%s)", list(places), is(len(places)), d.Name)
	if d.Detail != "" {
		e.text = fmt.Sprintf("%s %s in the file %s on another filesystem (%s)", list(places), is(len(places)), d.Detail, d.Name)
	}
	return e
}

func crypt(in *Input) evidence {
	places, d := in.layered(func(l host.Layer) bool { return l.Kind == "dm crypt" })
	if places == nil {
		return nothing
	}
	return found("%s %s encrypted (%s)", list(places), is(len(places)), d.Name)
}
