package device

import (
	"time"

	"plinth/internal/unit"
)

// Bounds reports whether l is a limit.
func (l Limit) Bounds() bool { return l.Rate > 0 }

// Peak returns the highest rate a second: that of a burst, if there is one.
func (l Limit) Peak() float64 { return max(l.Rate, l.BurstRate) }

// Lasts returns how long a full bucket lasts under full load; 0 if it never bursts. It takes into
// account that the bucket also refills while it empties, as AWS does for the burst of gp2 ("Amazon
// EBS volume types").
func (l Limit) Lasts() time.Duration {
	if l.Burst == 0 || l.BurstRate <= l.Rate {
		return 0
	}
	return seconds(l.Burst / (l.BurstRate - l.Rate))
}

// Refills returns how long an empty bucket takes to refill without load; 0 if there is
// no bucket.
func (l Limit) Refills() time.Duration {
	if l.Burst == 0 || l.Rate == 0 {
		return 0
	}
	return seconds(l.Burst / l.Rate)
}

// Scaled returns l multiplied by factor. A burst lasts as long as before.
func (l Limit) Scaled(factor float64) Limit {
	return Limit{l.Rate * factor, l.BurstRate * factor, l.Burst * factor}
}

// Bounds reports whether f is a limit.
func (f FlowLimit) Bounds() bool { return f.Rate > 0 }

// Limit returns f as plain numbers, in bytes.
func (f FlowLimit) Limit() Limit {
	return Limit{float64(f.Rate), float64(f.BurstRate), float64(f.Burst)}
}

// Scaled returns f multiplied by factor.
func (f FlowLimit) Scaled(factor float64) FlowLimit {
	return FlowLimit{
		Rate:      f.Rate * unit.Rate(factor),
		BurstRate: f.BurstRate * unit.Rate(factor),
		Burst:     unit.Size(float64(f.Burst) * factor),
	}
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
