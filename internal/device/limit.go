package device

import (
	"time"

	"plinth/internal/unit"
)

// Bounds says whether there is a limit at all.
func (l Limit) Bounds() bool { return l.Rate > 0 }

// Peak is what it lets through in a second at the most: while there is a burst.
func (l Limit) Peak() float64 { return max(l.Rate, l.BurstRate) }

// Lasts is how long a full bucket lasts when as much is asked for as it lets
// through; 0 where it never bursts. While it empties it is refilled, too: AWS,
// "Amazon EBS volume types", computes the burst of gp2 so.
func (l Limit) Lasts() time.Duration {
	if l.Burst == 0 || l.BurstRate <= l.Rate {
		return 0
	}
	return seconds(l.Burst / (l.BurstRate - l.Rate))
}

// Refills is how long an empty bucket takes to be full again when nothing is asked
// for; 0 where there is none.
func (l Limit) Refills() time.Duration {
	if l.Burst == 0 || l.Rate == 0 {
		return 0
	}
	return seconds(l.Burst / l.Rate)
}

// Scaled is l with all of it times factor: a burst lasts as long as before.
func (l Limit) Scaled(factor float64) Limit {
	return Limit{l.Rate * factor, l.BurstRate * factor, l.Burst * factor}
}

// Bounds says whether there is a limit at all.
func (f FlowLimit) Bounds() bool { return f.Rate > 0 }

// Limit is f as plain numbers, in bytes.
func (f FlowLimit) Limit() Limit {
	return Limit{float64(f.Rate), float64(f.BurstRate), float64(f.Burst)}
}

// Scaled is f with all of it times factor.
func (f FlowLimit) Scaled(factor float64) FlowLimit {
	return FlowLimit{
		Rate:      f.Rate * unit.Rate(factor),
		BurstRate: f.BurstRate * unit.Rate(factor),
		Burst:     unit.Size(float64(f.Burst) * factor),
	}
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
