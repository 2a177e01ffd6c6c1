package pgbench

import (
	"regexp"
	"strconv"
	"strings"
)

// stats holds what a summary says of all scripts together, or of one, by the names of the groups in
// the tables below.
type stats struct {
	numbers map[string]float64
	words   map[string]string
}

func newStats() *stats { return &stats{map[string]float64{}, map[string]string{}} }

// Numbers as pgbench prints them: %f, %.3f and %.1f. It never groups digits, so a comma, which has another
// program put there for its locale, is a decimal one. As many digits follow it as pgbench prints.
const (
	six   = `\d+(?:\.\d+|,\d{6})`
	three = `\d+(?:\.\d+|,\d{3})`
	one   = `\d+(?:\.\d|,\d)`
	share = `(?:\d+(?:\.\d+|,\d{1,3})|-?nan)`
)

// totals are the lines of the first part of a summary. A line has ":" or "=" before its value: 9.x
// has "latency average: 1.2 ms", later versions "latency average = 1.2 ms". Names of groups that end
// with "_" hold text, the others a number. Latencies are in milliseconds.
var totals = patterns(
	`transaction type: (?P<type_>\S.*)`,
	`scaling factor: (?P<scale_>\d+)`,
	`partition method: (?P<method_>\w+)`,
	`partitions: (?P<partitions_>\d+)`,
	`query mode: (?P<mode_>simple|extended|prepared)`,
	`number of clients: (?P<clients>\d+)`,
	`number of threads: (?P<threads>\d+)`,
	`maximum number of tries: (?P<tries_>\d+)`,
	`number of transactions per client: (?P<each_>\d+)`,
	`duration: (?P<duration>\d+) s`,
	`number of transactions actually processed: (?P<processed>\d+)(?:/(?P<planned>\d+))?`,
	`number of failed transactions: (?P<failed>\d+) \((?P<failed_percent>`+share+`) ?%\)`,
	`number of serialization failures: (?P<serialization>\d+) \((?P<serialization_percent>`+share+`) ?%\)`,
	`number of deadlock failures: (?P<deadlock>\d+) \((?P<deadlock_percent>`+share+`) ?%\)`,
	`number of transactions retried: (?P<retried>\d+) \((?P<retried_percent>`+share+`) ?%\)`,
	`total number of retries: (?P<retries>\d+)`,
	`number of transactions skipped: (?P<skipped>\d+) \((?P<skipped_percent>`+share+`) ?%\)`,
	`number of transactions above the (?P<limit_ms>`+one+`) ms latency limit: (?P<late>\d+)(?:/(?P<late_of>\d+))? \((?P<late_percent>`+share+`) ?%\)`,
	`latency average(?: =|:) (?P<latency_ms>`+three+`) ms(?: \((?P<latency_of_>including failures)\))?`,
	`latency stddev(?: =|:) (?P<stddev_ms>`+three+`) ms`,
	`rate limit schedule lag: avg (?P<lag_ms>`+three+`) \(max (?P<lag_max_ms>`+three+`)\) ms`,
	`initial connection time = (?P<connecting_ms>`+three+`) ms`,
	`average connection time = (?P<reconnecting_ms>`+three+`) ms`,
	`tps = (?P<tps_including>`+six+`) \(including connections establishing\)`,
	`tps = (?P<tps_excluding>`+six+`) \(excluding connections establishing\)`,
	`tps = (?P<tps_without>`+six+`) \(without initial connection time\)`,
	`tps = (?P<tps_reconnecting>`+six+`) \(including reconnection times\)`,
	`tps = (?P<tps_bare>`+six+`)`,
)

// ofScripts are the lines about one script, without the dash before them. Before 18, the transactions
// of the first line are those that ended successfully or (before 15) were skipped.
var ofScripts = append(patterns(
	`weight: (?P<weight_>\d+) \(targets (?P<targets>`+share+`)% of total\)`,
	`(?P<share_of>\d+) transactions \((?P<share_percent>`+share+`)% of total(?:, tps = (?P<tps>`+six+`))?\)`,
	`number of transactions actually processed: (?P<processed>\d+) \(tps = (?P<tps>`+six+`)\)`,
), totals...)

func patterns(of ...string) (all []*regexp.Regexp) {
	for _, p := range of {
		all = append(all, regexp.MustCompile("^"+p+"$"))
	}
	return all
}

// takes takes a line if it is one of the table, and has nothing that the stats have already.
func (s *stats) takes(table []*regexp.Regexp, line string) bool {
	for _, pattern := range table {
		if m := pattern.FindStringSubmatch(line); m != nil {
			return s.set(pattern.SubexpNames(), m)
		}
	}
	return false
}

func (s *stats) set(names, values []string) bool {
	fresh := newStats()
	for i, name := range names {
		text, isText := strings.CutSuffix(name, "_")
		switch _, has := s.numbers[name]; {
		case i == 0 || values[i] == "":
		case has || s.words[text] != "":
			return false
		case isText:
			fresh.words[text] = values[i]
		default:
			value, ok := number(values[i])
			if !ok {
				return false
			}
			fresh.numbers[name] = value
		}
	}
	for name, value := range fresh.numbers {
		s.numbers[name] = value
	}
	for name, value := range fresh.words {
		s.words[name] = value
	}
	return true
}

// number parses a number with a decimal point or comma.
func number(text string) (float64, bool) {
	value, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
	return value, err == nil
}

// rates returns the TPS, the preferred one first: without the time for connecting. It is the only one
// of pgbench 14 and later, and plinth measures from the first transaction on, too. With -C connecting
// belongs to the load.
func (s *stats) rates() (names []string) {
	for _, name := range []string{"tps_without", "tps_reconnecting", "tps_excluding", "tps_including", "tps_bare"} {
		if _, ok := s.numbers[name]; ok {
			names = append(names, name)
		}
	}
	return names
}

// tps returns the preferred TPS; 0 if there is none.
func (s *stats) tps() float64 {
	if names := s.rates(); names != nil {
		return s.numbers[names[0]]
	}
	return s.numbers["tps"]
}
