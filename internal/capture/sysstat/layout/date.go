package layout

import (
	"regexp"
	"strconv"
	"time"
)

var (
	dateISO   = regexp.MustCompile(`^(\d{4})([-./])(\d{1,2})([-./])(\d{1,2})\.?$`)
	dateOther = regexp.MustCompile(`^(\d{1,2})([-./])(\d{1,2})([-./])(\d{2}|\d{4})\.?$`)
)

// ParseDate parses a date, which sysstat prints as the locale does (strftime's %x), or as YYYY-MM-DD
// with S_TIME_FORMAT=ISO. With points the day comes first in every locale of glibc; with slashes and
// hyphens either the day or the month does (01/03/26 is January 3 in the C locale and March 1 in
// en_GB), so a date that can be read both ways is not read at all.
func ParseDate(text string) (time.Time, bool) {
	if m := dateISO.FindStringSubmatch(text); m != nil {
		return date(m[1], m[3], m[5], m[2] == m[4])
	}
	m := dateOther.FindStringSubmatch(text)
	if m == nil {
		return time.Time{}, false
	}
	year := m[5]
	if len(year) == 2 {
		year = "20" + year
	}
	same := m[2] == m[4]
	dayFirst, ok := date(year, m[3], m[1], same)
	if m[2] == "." {
		return dayFirst, ok
	}
	monthFirst, other := date(year, m[1], m[3], same)
	switch {
	case ok && (!other || dayFirst.Equal(monthFirst)):
		return dayFirst, true
	case other && !ok:
		return monthFirst, true
	}
	return time.Time{}, false
}

func date(year, month, day string, ok bool) (time.Time, bool) {
	y, _ := strconv.Atoi(year)
	m, _ := strconv.Atoi(month)
	d, _ := strconv.Atoi(day)
	t := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	return t, ok && m >= 1 && m <= 12 && t.Day() == d && y >= 1990 // the first Linux is of 1991
}
