package device

func (d Device) checkArray(prefix string) error {
	a, field := d.Array, prefix+"array."
	if d.hasFigures() {
		return mistake(prefix+"array", "has its figures from its members: put latencies and limits into array.of")
	}
	if err := a.checkShape(field); err != nil {
		return err
	}
	switch {
	case a.Of == nil:
		return mistake(field+"of", "is missing: what is each member?")
	case a.Of.Array != nil:
		return mistake(field+"of.array", "is an array of arrays, which the model does not have")
	}
	return a.Of.check(field + "of.")
}

func (a Array) checkShape(field string) error {
	switch {
	case a.Level != 0 && a.Level != 1 && a.Level != 10:
		return mistake(field+"level", "is %d: it can be 0, 1 or 10", a.Level)
	case a.Members < 2 || a.Members > mostMembers:
		return mistake(field+"members", "is %d: it can be 2 to %d", a.Members, mostMembers)
	case a.Level == 10 && a.Members%2 != 0:
		return mistake(field+"members", "is %d: RAID 10 needs an even number", a.Members)
	case a.Level == 10 && a.Members < 4:
		return mistake(field+"members", "is %d: RAID 10 needs 4 at the least, two are RAID 1", a.Members)
	}
	return a.checkChunk(field + "chunk")
}

func (a Array) checkChunk(field string) error {
	power := a.Chunk&(a.Chunk-1) == 0
	switch {
	case a.Level == 1 && a.Chunk != 0:
		return mistake(field, "is there, and RAID 1 deals out nothing")
	case a.Level != 1 && (a.Chunk < leastChunk || a.Chunk > mostChunk || !power):
		return mistake(field, "is %s: it can be a power of two from %s to %s", a.Chunk.Exact(), leastChunk, mostChunk)
	}
	return nil
}

// hasFigures says whether there are figures of its own beside an array.
func (d Device) hasFigures() bool {
	d.Name, d.Durability, d.Source, d.Measured, d.Array = "", "", "", "", nil
	return d != Device{}
}
