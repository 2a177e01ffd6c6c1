package relation

// each returns all counters with their names, in a fixed order.
func (c *Counters) each() []counter {
	return []counter{
		{"blocks_read", &c.Read},
		{"blocks_hit", &c.Hit},
		{"toast_blocks_read", &c.ToastRead},
		{"toast_blocks_hit", &c.ToastHit},
		{"tidx_blocks_read", &c.ToastIndexRead},
		{"tidx_blocks_hit", &c.ToastIndexHit},
		{"seq_scans", &c.SeqScans},
		{"index_scans", &c.IndexScans},
		{"rows_inserted", &c.Inserted},
		{"rows_updated", &c.Updated},
		{"rows_hot_updated", &c.HotUpdated},
		{"rows_deleted", &c.Deleted},
	}
}

type counter struct {
	name  string
	value *int64
}

// add adds other to c.
func (c *Counters) add(other Counters) { c.combine(other, 1) }

// combine adds other, factor times.
func (c *Counters) combine(other Counters, factor int64) {
	more := other.each()
	for i, one := range c.each() {
		*one.value += factor * *more[i].value
	}
}

// Misses returns the blocks that were not found in shared_buffers, with those of the toast.
func (c Counters) Misses() int64 { return c.Read + c.ToastRead + c.ToastIndexRead }

// Requests returns the blocks that queries needed, with those of the toast.
func (c Counters) Requests() int64 { return c.Misses() + c.Hit + c.ToastHit + c.ToastIndexHit }

// Changes returns the rows inserted, updated and deleted.
func (c Counters) Changes() int64 { return c.Inserted + c.Updated + c.Deleted }
