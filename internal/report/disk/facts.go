package disk

import (
	"time"

	"plinth/internal/device"
)

// Facts is an entry as JSON, with what follows from its figures.
type Facts struct {
	device.Entry
	Steps  []device.Step      `json:"steps,omitempty"`
	Theory device.Expectation `json:"theory"`
	Bursts deviceBursts       `json:"bursts,omitzero"`
}

// deviceBursts is how long full buckets last, and empty ones take to fill.
type deviceBursts struct {
	IOPS       burstSeconds `json:"iops,omitzero"`
	Throughput burstSeconds `json:"throughput,omitzero"`
}

type burstSeconds struct {
	Lasts   float64 `json:"lasts_s"`
	Refills float64 `json:"refills_s"`
}

// FactsOf adds to an entry what follows from its figures.
func FactsOf(e device.Entry) Facts {
	one := e.Device
	if one.Array != nil {
		one = *one.Array.Of
	}
	return Facts{e, e.Steps(), device.Ideal(e.Device), deviceBursts{burstOf(one.IOPS), burstOf(one.Throughput.Limit())}}
}

func burstOf(l device.Limit) burstSeconds {
	return burstSeconds{l.Lasts().Round(time.Millisecond).Seconds(), l.Refills().Round(time.Millisecond).Seconds()}
}
