package device

import "math"

// check refuses a limit that is not one; most is beyond any device.
func (l Limit) check(field string, most float64) error {
	for _, value := range []struct {
		key string
		is  float64
	}{{"rate", l.Rate}, {"burst_rate", l.BurstRate}, {"burst", l.Burst}} {
		switch {
		case math.IsNaN(value.is):
			return mistake(field+"."+value.key, "is not a number")
		case value.is < 0:
			return mistake(field+"."+value.key, "is negative")
		case value.key != "burst" && value.is > most:
			return mistake(field+"."+value.key, "is more than any device can")
		}
	}
	return l.checkBurst(field)
}

func (l Limit) checkBurst(field string) error {
	bursts := l.Burst != 0 || l.BurstRate != 0
	switch {
	case bursts && l.Rate == 0:
		return mistake(field+".rate", "is missing: nothing would refill the burst")
	case l.BurstRate != 0 && l.BurstRate < l.Rate:
		return mistake(field+".burst_rate", "is below the rate")
	case l.BurstRate != 0 && l.Burst == 0:
		return mistake(field+".burst", "is missing: how much may go through at burst_rate")
	case l.Burst != 0 && l.BurstRate == 0:
		return mistake(field+".burst_rate", "is missing: how fast the burst may go through")
	case bursts && l.Burst/l.Rate > mostRefill.Seconds():
		return mistake(field+".burst", "takes more than a year to refill")
	case l.Rate != 0 && l.Rate < 1e-3:
		return mistake(field+".rate", "is next to nothing")
	}
	return nil
}
