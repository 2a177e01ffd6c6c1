package device

import (
	"fmt"

	"plinth/internal/unit"
)

// DefaultChunk is what goes to one member before the next one's turn unless said,
// as mdadm has it.
const DefaultChunk = 512 * unit.KiB

// RAID is an array of equal members: level 0, 1 or 10. A chunk of 0 is DefaultChunk
// where there are chunks. Each member has limits of its own.
func RAID(level, members int, chunk unit.Size, of Device) (Device, error) {
	if chunk == 0 && level != 1 {
		chunk = DefaultChunk
	}
	d := Device{
		Name:       fmt.Sprintf("raid%d of %d x %s", level, members, of.Name),
		Durability: arrayDurability(level, of),
		Array:      &Array{Level: level, Members: members, Chunk: chunk, Of: &of},
	}
	return d, d.Check()
}

func arrayDurability(level int, of Device) string {
	text := "loss of a member"
	if level == 0 {
		text = "not the loss of any member"
	}
	if of.Durability != "" {
		text += "; each member: " + of.Durability
	}
	return text
}
