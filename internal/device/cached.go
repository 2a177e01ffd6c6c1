package device

// Cached says whether a durable write to the device, or to a member of an array, ends
// with a flush: its writes end in a volatile cache.
func (d Device) Cached() bool {
	if d.Array != nil && d.Array.Of != nil {
		return d.Array.Of.WriteCache
	}
	return d.WriteCache
}
