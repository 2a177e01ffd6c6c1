package experiment

import (
	"go.yaml.in/yaml/v3"

	"plinth/internal/hint"
)

// models checks that every emulated device is one that there can be.
func (c *checker) models() {
	for i := range c.e.Environments {
		env := &c.e.Environments[i]
		for where, v := range env.named() {
			for _, d := range v.disks() {
				if d.Emulated() && c.sound(v, d, &d.Emulate) && c.places[v] != nil {
					c.model(d, where)
				}
			}
		}
	}
}

// model notes what is wrong with the model of one disk. What an array lacks was
// told before; here it would be told again in other words.
func (c *checker) model(d *Disk, where string) {
	if e := d.Emulate; e.Model != nil || e.RAID != "" && (e.Of == "" || e.Name != "") {
		return
	}
	named := &d.Emulate.Name
	if d.Emulate.RAID != "" {
		named = &d.Emulate.Of
	}
	if err := modelOf(*named, d.Changes); err != nil {
		c.add(c.culprit(d, named), hint.Of(err), "%s: %v", where, err)
	}
}

// culprit is the place of the change without which there would be such a device,
// or of the device's name.
func (c *checker) culprit(d *Disk, named *string) *yaml.Node {
	for _, change := range d.keys() {
		place := c.places[change.pointer]
		if place != nil && modelOf(*named, change.without(d.Changes)) == nil {
			return place
		}
	}
	return c.places[named]
}
