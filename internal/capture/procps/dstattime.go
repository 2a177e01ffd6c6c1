package procps

import (
	"strings"
	"time"

	"plinth/internal/capture"
)

// printed is when and where dstat began, as the header of its CSV file says.
type printed struct {
	at   time.Time // zero if unknown
	zone string
}

// parsePrinted reads "26 Nov 2026 18:41:04 UTC".
func parsePrinted(text string) printed {
	end := strings.LastIndexByte(text, ' ')
	if end < 0 {
		return printed{}
	}
	at, err := time.Parse("02 Jan 2006 15:04:05", text[:end])
	if err != nil {
		return printed{}
	}
	return printed{at, text[end+1:]}
}

// moment reads a time: "26-11 18:41:04" of dstat, "Nov-26 18:41:04" of dool, or seconds since 1970. The
// former have no year and no zone, so they are times of day unless the header has both.
func (p printed) moment(text string) (capture.Moment, bool) {
	text = strings.TrimSpace(text)
	if found, ok := capture.Stamp(text); ok && found.Clock == capture.UTC {
		return found, true
	}
	text, _, _ = strings.Cut(text, ".") // milliseconds of --time-adv
	for _, layout := range []string{"02-01 15:04:05", "Jan-02 15:04:05"} {
		if found, err := time.Parse(layout, text); err == nil {
			return p.date(found), true
		}
	}
	return capture.Moment{}, false
}

func (p printed) date(clock time.Time) capture.Moment {
	if p.at.IsZero() {
		return capture.TimeOfDay(clock)
	}
	dated := clock.AddDate(p.at.Year()-clock.Year(), 0, 0)
	if dated.Before(p.at.AddDate(0, -6, 0)) { // it went on into the next year
		dated = dated.AddDate(1, 0, 0)
	}
	return capture.At(dated, p.zone)
}
