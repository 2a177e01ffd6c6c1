package serve

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"plinth/internal/hint"
	"plinth/internal/record"
)

// Limits of the number of records in a list, and of the length of a query in bytes.
const (
	defaultLimit = 100
	mostLimit    = 1000
	maxQuery     = 4 << 10
)

// query selects records.
type query struct {
	text    string   // as typed
	terms   []string // in lower case; each must occur in the question or the name
	engine  string
	state   record.State
	verdict record.Outcome
	since   time.Time // inclusive
	until   time.Time // exclusive
	offset  int
	limit   int
}

var (
	states   = []record.State{record.Running, record.Complete, record.Interrupted}
	verdicts = []record.Outcome{record.Better, record.Worse, record.Equivalent, record.Inconclusive, record.Unfit}
)

// parseQuery parses the fields of the form. Days are in the time zone zone. An error is a bad
// request.
func parseQuery(values url.Values, zone *time.Location) (query, error) {
	q := query{
		text: values.Get("q"), engine: values.Get("engine"),
		state: record.State(values.Get("state")), verdict: record.Outcome(values.Get("verdict")),
	}
	q.terms = strings.Fields(strings.ToLower(q.text))
	if q.state != "" && !slices.Contains(states, q.state) {
		return q, unknown("state", values.Get("state"), states)
	}
	if q.verdict != "" && !slices.Contains(verdicts, q.verdict) {
		return q, unknown("verdict", values.Get("verdict"), verdicts)
	}
	var err error
	if q.since, err = day(values, "since", zone); err != nil {
		return q, err
	}
	if q.until, err = day(values, "until", zone); err != nil {
		return q, err
	}
	if !q.until.IsZero() {
		q.until = q.until.AddDate(0, 0, 1) // the day itself is included
	}
	if q.offset, err = number(values, "offset", 0, 0, 1<<30); err != nil {
		return q, err
	}
	q.limit, err = number(values, "limit", defaultLimit, 1, mostLimit)
	return q, err
}

func unknown[S ~string](field, value string, known []S) error {
	var names []string
	for _, k := range known {
		names = append(names, string(k))
	}
	return hint.Errorf("use one of "+strings.Join(names, ", "), "%s: unknown value %q", field, value)
}

func day(values url.Values, field string, zone *time.Location) (time.Time, error) {
	text := values.Get(field)
	if text == "" {
		return time.Time{}, nil
	}
	t, err := time.ParseInLocation(time.DateOnly, text, zone)
	if err != nil {
		return t, hint.Errorf("give a day, such as 2026-11-21", "%s: %q is not a day", field, text)
	}
	return t, nil
}

func number(values url.Values, field string, otherwise, least, most int) (int, error) {
	text := values.Get(field)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, hint.Errorf("give a number from "+strconv.Itoa(least)+" to "+strconv.Itoa(most), "%s: %q is out of range or not a number", field, text)
	}
	return n, nil
}

// values returns the query for an address, with another offset.
func (q query) values(offset int) url.Values {
	v := url.Values{}
	set := func(name, text string) {
		if text != "" {
			v.Set(name, text)
		}
	}
	set("q", q.text)
	set("engine", q.engine)
	set("state", string(q.state))
	set("verdict", string(q.verdict))
	set("since", q.sinceDay())
	set("until", q.untilDay())
	if offset > 0 {
		v.Set("offset", strconv.Itoa(offset))
	}
	if q.limit != defaultLimit {
		v.Set("limit", strconv.Itoa(q.limit))
	}
	return v
}

func (q query) sinceDay() string {
	if q.since.IsZero() {
		return ""
	}
	return q.since.Format(time.DateOnly)
}

func (q query) untilDay() string {
	if q.until.IsZero() {
		return ""
	}
	return q.until.AddDate(0, 0, -1).Format(time.DateOnly)
}
