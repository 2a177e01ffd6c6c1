package experiment

import (
	"fmt"
	"reflect"
)

// alike notes members of an array that do not act as the first one: an array of
// emulated devices is told, and proved, as one model of equal members.
func (c *checker) alike(v *Volume, where string) {
	var first *Disk
	for i := range v.Members {
		m, at := &v.Members[i], fmt.Sprintf("%s.members.%d", where, i+1)
		switch {
		case !c.sound(m, &m.Emulate) || len(c.kinds(m)) != 1:
		case ofModels(m):
			c.add(c.places[m], "let members be single devices, or say emulate: {raid: 0, of: gp3, members: 4} of the volume",
				"%s: an emulated array as a member of an array", at)
			return
		case first == nil:
			first = m
		case m.Emulated() != first.Emulated():
			c.add(c.places[m], "emulate all members, or none", "%s: emulated members and others in one array", at)
			return
		case m.Emulated() && !sameModel(m, first):
			c.add(c.places[m], "give all members the same device, with the same changes", "%s: it is emulated otherwise than the members before it", at)
			return
		}
	}
}

// sameModel says whether two disks act as the same device. Of what is no device
// others tell.
func sameModel(a, b *Disk) bool {
	one, err := a.Model()
	if err != nil {
		return true
	}
	other, err := b.Model()
	return err != nil || reflect.DeepEqual(one, other)
}

// ofModels says whether a disk is an emulated array.
func ofModels(d *Disk) bool {
	model, err := d.Model()
	return err == nil && model.Array != nil
}
