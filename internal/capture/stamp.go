package capture

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Stamp returns the time that a line states if it has nothing else: the output of date(1), a time of
// day, a time as in ISO 8601, or seconds since 1970, alone or between equals signs or dashes as scripts
// print them between their samples: "=== 15:15:15 ===".
func Stamp(line string) (Moment, bool) {
	text := strings.Trim(strings.TrimSpace(line), "=-# ")
	if len(text) < len("15:04:05") || len(text) > 50 || text[0] == '+' {
		return Moment{}, false
	}
	if moment, ok := epoch(text); ok {
		return moment, true
	}
	if strings.Count(text, ":") < 2 {
		return Moment{}, false
	}
	for _, form := range stampForms {
		wall, zone := text, ""
		if form.zone != nil {
			if wall, zone = form.zone(text); !zoneName.MatchString(zone) {
				continue
			}
		}
		if found, err := time.Parse(form.layout, wall); err == nil {
			if form.ofDay {
				return TimeOfDay(found), true
			}
			return At(found, zone), true
		}
	}
	return Moment{}, false
}

// stampForms are the forms of a time that is alone on its line. Fractions of seconds are optional.
var stampForms = []struct {
	layout string
	zone   func(string) (wall, zone string) // cuts the name of the zone out; nil if there is none
	ofDay  bool
}{
	{layout: "15:04:05", ofDay: true},
	{layout: "2006-01-02 15:04:05"},
	{layout: "2006-01-02T15:04:05"},
	{"2006-01-02 15:04:05", zoneAtEnd, false},
	{"2006-01-02T15:04:05", zoneAtEnd, false},
	{layout: "Mon Jan _2 15:04:05 2006"},
	{"Mon Jan _2 15:04:05 2006", zoneBeforeYear, false},
	{"Mon Jan _2 03:04:05 PM 2006", zoneBeforeYear, false},
	{"Mon _2 Jan 15:04:05 2006", zoneBeforeYear, false},
	{"Mon _2 Jan 2006 03:04:05 PM", zoneAtEnd, false},
	{"Mon, 02 Jan 2006 15:04:05", zoneAtEnd, false},
}

// zoneName is an abbreviation, an offset or a name of the time zone database.
var zoneName = regexp.MustCompile(`^(?:[A-Z]{1,5}|[+-]\d\d(?::?\d\d)?|[A-Z][A-Za-z]+/[A-Z][A-Za-z_/]+)$`)

func zoneAtEnd(text string) (wall, zone string) {
	start := strings.LastIndexByte(text, ' ') + 1
	if start == 0 || text[start] >= '0' && text[start] <= '9' { // 15:15:15+01
		start = strings.LastIndexAny(text, "+-Z")
		if start < len("2006-01-02") {
			return "", ""
		}
	}
	return strings.TrimSpace(text[:start]), text[start:]
}

func zoneBeforeYear(text string) (wall, zone string) {
	year := strings.LastIndexByte(text, ' ')
	if year < 0 {
		return "", ""
	}
	start := strings.LastIndexByte(text[:year], ' ')
	if start < 0 {
		return "", ""
	}
	return text[:start] + text[year:], text[start+1 : year]
}

// epoch reads seconds since 1970, between the years 2001 and 2100.
func epoch(text string) (Moment, bool) {
	whole, fraction, _ := strings.Cut(text, ".")
	seconds, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || len(whole) != 10 || seconds < 1_000_000_000 || seconds > 4_102_444_800 || len(fraction) > 9 {
		return Moment{}, false
	}
	nanoseconds, err := strconv.ParseUint((fraction + "000000000")[:9], 10, 64)
	if err != nil {
		return Moment{}, false
	}
	return Moment{Time: time.Unix(seconds, int64(nanoseconds)).UTC(), Clock: UTC}, true //nolint:gosec // nine digits
}
