package device

import (
	"strings"
	"testing"

	"plinth/internal/unit"
)

func TestDisksDiffer(t *testing.T) {
	intel := Disk{Model: "INTEL SSDPE2KX010T8", Transport: "nvme", Size: 1000204886016}
	with := func(change func(*Disk)) Disk {
		d := intel
		change(&d)
		return d
	}
	for name, try := range map[string]struct {
		other Disk
		want  bool
	}{
		"the same":           {intel, false},
		"another model":      {with(func(d *Disk) { d.Model = "Samsung SSD 980" }), true},
		"padded":             {with(func(d *Disk) { d.Model = "INTEL  SSDPE2KX010T8  " }), false},
		"another transport":  {with(func(d *Disk) { d.Transport = "sata" }), false},
		"no model":           {with(func(d *Disk) { d.Model = "" }), false},
		"no model, half":     {with(func(d *Disk) { d.Model, d.Size = "", intel.Size/2 }), true},
		"no size":            {with(func(d *Disk) { d.Size = 0 }), false},
		"0.9 % smaller":      {with(func(d *Disk) { d.Size -= 9 * d.Size / 1000 }), false},
		"1.1 % smaller":      {with(func(d *Disk) { d.Size -= 11 * d.Size / 1000 }), true},
		"1.1 % larger":       {with(func(d *Disk) { d.Size += 12 * d.Size / 1000 }), true},
		"nothing is known":   {Disk{}, false},
		"the transport only": {Disk{Transport: "virtio"}, false},
	} {
		if got, back := intel.Differs(try.other), try.other.Differs(intel); got != try.want || back != try.want {
			t.Errorf("%s: %v, the other way round %v", name, got, back)
		}
	}
}

func TestDiskWords(t *testing.T) {
	for want, d := range map[string]Disk{
		"INTEL SSDPE2KX010T8 (931.5GiB)": {Model: "INTEL SSDPE2KX010T8", Transport: "nvme", Size: 1000204886016},
		"ST2000NM (1863GiB)":             {Model: "ST2000NM", Size: 2000398934016},
		"an unnamed virtio disk (20GiB)": {Transport: "virtio", Size: 20 * unit.GiB},
		"an unnamed nbd disk (256MiB)":   {Transport: "nbd", Size: 256 * unit.MiB},
		"an unnamed disk":                {},
	} {
		if got := d.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestDiskOfAFile checks the section disk of a model file.
func TestDiskOfAFile(t *testing.T) {
	const file = `name: db7
read: {median: 82us}
write: {median: 26us}
disk: {model: 'INTEL: SSDPE2KX010T8', transport: nvme, size: 976762584KiB}
`
	d, err := ReadFile([]byte(file))
	if err != nil || d.Disk != (Disk{"INTEL: SSDPE2KX010T8", "nvme", 976762584 * unit.KiB}) {
		t.Errorf("got %+v, %v", d.Disk, err)
	}
	if got := string(d.YAML()); got != file {
		t.Errorf("written as\n%s", got)
	}
	for text, want := range map[string]string{
		"name: x\ndisk: {serial: 123}":                             `line 2: unknown key "serial" in disk`,
		"name: x\ndisk: {size: 500}":                               `line 2: disk.size: "500" has no unit: write 500MiB or 500GiB`,
		"name: x\ndisk: sda":                                       `line 2: expected keys and values in disk, found "sda"`,
		"name: x\ndisk: {model: " + strings.Repeat("x", 201) + "}": "line 2: disk.model is longer than 200 bytes",
	} {
		if _, err := ReadFile([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
	// An array may have been measured on one disk, such as that of a hardware controller.
	array := "name: x\ndisk: {model: PERC H740P}\narray: {level: 0, members: 2, chunk: 64KiB, of: {name: y, read: {median: 1ms}, write: {median: 1ms}}}"
	if _, err := ReadFile([]byte(array)); err != nil {
		t.Error(err)
	}
	if keys := d.Keys(); strings.Contains(strings.Join(keys, " "), "disk") {
		t.Errorf("keys of figures: %v", keys)
	}
}
