package window

// Number is a value, or why there is none.
type Number struct {
	Value float64
	Why   string
}

// Nanoseconds converts seconds, the unit of telemetry, to the unit of a record's latencies.
func (n Number) Nanoseconds() Number { return Number{n.Value * 1e9, n.Why} }
