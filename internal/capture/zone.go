package capture

import (
	"regexp"
	"strconv"
	"time"
)

// Zone returns the offset of a time zone from UTC by its name, if the name says it: UTC and GMT, which
// stands for no other offset in the time zone database, and numbers such as +02 and +0530, as ISO 8601
// has them. Another abbreviation has several meanings ("CST"), so its times remain local.
func Zone(name string) (offset time.Duration, known bool) {
	switch name {
	case "UTC", "GMT", "UCT", "Z", "Etc/UTC":
		return 0, true
	}
	found := numericZone.FindStringSubmatch(name)
	if found == nil {
		return 0, false
	}
	hours, _ := strconv.Atoi(found[2]) // two digits
	minutes, _ := strconv.Atoi(found[3])
	if hours > 15 || minutes > 59 {
		return 0, false
	}
	offset = time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute
	if found[1] == "-" {
		offset = -offset
	}
	return offset, true
}

var numericZone = regexp.MustCompile(`^([+-])(\d\d)(?::?(\d\d))?$`)

// At returns the moment of a date and a time of day in the zone of that name.
func At(wall time.Time, zone string) Moment {
	if offset, known := Zone(zone); known {
		return Moment{Time: wall.Add(-offset), Clock: UTC}
	}
	return Moment{Time: wall, Clock: Local}
}

// TimeOfDay returns the moment of a time of day, on the first day of 1970.
func TimeOfDay(clock time.Time) Moment {
	hour, minute, second := clock.Clock()
	return Moment{Time: time.Date(1970, 1, 1, hour, minute, second, clock.Nanosecond(), time.UTC), Clock: OfDay}
}

// After returns the moment of next, which the text has after m: a time of day that is more than 12 hours
// earlier is on the following day.
func (m Moment) After(next Moment) Moment {
	if m.Clock != OfDay || next.Clock != OfDay {
		return next
	}
	next.Time = next.Time.Add(m.Time.Truncate(24 * time.Hour).Sub(next.Time.Truncate(24 * time.Hour)))
	if next.Time.Before(m.Time.Add(-12 * time.Hour)) {
		next.Time = next.Time.Add(24 * time.Hour)
	}
	return next
}
