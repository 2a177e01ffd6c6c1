package layout

import (
	"strings"
	"time"

	"plinth/internal/capture"
)

const day = 24 * 60 * 60

// TimeOfDay parses a time of day at the beginning of fields, with AM or PM if there is one. It
// returns the seconds since midnight and the number of fields that it took; 0 if there is no time.
func TimeOfDay(fields [][]byte) (seconds, used int) {
	if len(fields) == 0 {
		return 0, 0
	}
	seconds, ok := clockTime(fields[0])
	if !ok {
		return 0, 0
	}
	if hour := seconds / 3600; len(fields) > 1 && hour >= 1 && hour <= 12 {
		const noon = 12 * 3600
		switch string(fields[1]) {
		case "AM":
			return seconds % noon, 2
		case "PM":
			return seconds%noon + noon, 2
		}
	}
	return seconds, 1
}

// clockTime parses hours, minutes and seconds.
func clockTime(f []byte) (seconds int, ok bool) {
	if len(f) != len("00:00:00") || f[2] != ':' || f[5] != ':' {
		return 0, false
	}
	h, m, s := pair(f[0:2]), pair(f[3:5]), pair(f[6:8])
	return h*3600 + m*60 + s, h >= 0 && h <= 23 && m >= 0 && m <= 59 && s >= 0 && s <= 60
}

func pair(two []byte) int {
	a, b := two[0]-'0', two[1]-'0'
	if a > 9 || b > 9 {
		return -1
	}
	return int(a)*10 + int(b)
}

// Clock turns times of day into moments.
type Clock struct {
	date  time.Time
	known bool // the date
}

// NewClock returns the clock of an output whose first line has the given date, "" if it is unknown.
func NewClock(text string) Clock {
	date, ok := ParseDate(text)
	return Clock{date, ok}
}

// Moment returns the moment that is seconds after the midnight before the output began. If the date
// is unknown, it is a time of day, on the first days of 1970.
func (c Clock) Moment(seconds int) capture.Moment {
	since := time.Duration(seconds) * time.Second
	if c.known {
		return capture.Moment{Time: c.date.Add(since), Clock: capture.Local}
	}
	return capture.Moment{Time: time.Unix(0, 0).UTC().Add(since), Clock: capture.OfDay}
}

// Days counts the midnights between times of day that follow each other.
type Days struct {
	last  int // the time before, in seconds since the first midnight
	begun bool
}

// Next returns the seconds since the first midnight for a time of day. A time that is more than
// twelve hours before the last one is of the next day; one that is a little earlier shows that the
// clock was set back, as at the end of summer time.
func (d *Days) Next(seconds int) (total int, back bool) {
	total = seconds
	if d.begun {
		total += d.last / day * day
		switch {
		case total < d.last-day/2:
			total += day
		case total > d.last+day/2 && total >= day:
			total -= day // the clock was set back over midnight
		}
		back = total < d.last
	}
	d.last, d.begun = total, true
	return total, back
}

// Stamp parses the line that iostat -t prints before a report: strftime's "%x %X", or with
// S_TIME_FORMAT=ISO a time with its zone. If the date can be read in two ways, only the time of
// day counts.
func Stamp(text string) (capture.Moment, bool) {
	text = strings.TrimSpace(text)
	for _, form := range [...]string{"2006-01-02T15:04:05-0700", time.RFC3339} {
		if t, err := time.Parse(form, text); err == nil {
			return capture.Moment{Time: t.UTC(), Clock: capture.UTC}, true
		}
	}
	fields := Fields(nil, []byte(text))
	if len(fields) < 2 || len(fields) > 3 {
		return capture.Moment{}, false
	}
	seconds, used := TimeOfDay(fields[1:])
	if used != len(fields)-1 || !dateISO.Match(fields[0]) && !dateOther.Match(fields[0]) {
		return capture.Moment{}, false
	}
	return NewClock(string(fields[0])).Moment(seconds), true
}
