package disk

import (
	"time"

	"plinth/internal/device"
)

// Facts is a catalog entry as JSON, with derived values.
type Facts struct {
	device.Entry
	Steps  []device.Step      `json:"steps,omitempty"`
	Theory device.Expectation `json:"theory"`
	Bursts deviceBursts       `json:"bursts,omitzero"`
}

// deviceBursts is how long full buckets last, and how long empty ones take to refill.
type deviceBursts struct {
	IOPS       burstSeconds `json:"iops,omitzero"`
	Throughput burstSeconds `json:"throughput,omitzero"`
}

type burstSeconds struct {
	Lasts   float64 `json:"lasts_s"`
	Refills float64 `json:"refills_s"`
}

// FactsOf adds derived values to an entry.
func FactsOf(e device.Entry) Facts {
	one := e.Device.Member()
	return Facts{e, e.Steps(), device.Ideal(e.Device), deviceBursts{burstOf(one.IOPS), burstOf(one.Throughput.Limit())}}
}

func burstOf(l device.Limit) burstSeconds {
	return burstSeconds{l.Lasts().Round(time.Millisecond).Seconds(), l.Refills().Round(time.Millisecond).Seconds()}
}
