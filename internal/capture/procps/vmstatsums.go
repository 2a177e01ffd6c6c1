package procps

import (
	"errors"
	"regexp"
	"strings"

	"plinth/internal/capture"
)

// sums reads vmstat -s and -D: totals since boot and the state of memory, one a line. The unit of memory
// is in the line.
type sums struct {
	capture.LastLine
	facts []capture.Fact
}

// The names are those of sum_format and disksum_format in procps' vmstat.c, 3.3 and 4.
var sumLine = regexp.MustCompile(`^\s*(\d+) ((?:[bBkKmM] )?(?:(?:total|used|active|inactive|free|buffer) memory|swap cache|(?:total|used|free) swap|paged (?:in|out))` +
	`|(?:non-nice |nice )?(?:user|guest|system|idle|IO-wait|IRQ|softirq|stolen) cpu ticks|pages (?:paged|swapped) (?:in|out)|interrupts|CPU context switches|boot time|forks` +
	`|disks|partitions|(?:total|merged) reads|(?:read|written) sectors|milli (?:reading|writing|spent IO|weighted IO)|(?:merged )?writes|inprogress IO)\s*$`)

func beginsSums(lines []string) bool {
	if len(lines) < 2 {
		return false
	}
	first := sumLine.FindStringSubmatch(lines[0])
	return first != nil && sumLine.MatchString(lines[1]) && (strings.HasSuffix(first[2], "total memory") || first[2] == "disks")
}

// Line implements capture.Reader.
func (s *sums) Line(line []byte) bool { return s.Took(s.line(line)) }

func (s *sums) line(line []byte) bool {
	found := sumLine.FindSubmatch(line)
	if found == nil {
		return false
	}
	name, value := string(found[2]), string(found[1])
	if len(name) > 2 && name[1] == ' ' { // the unit
		name, value = name[2:], value+" "+name[:1]
	}
	name = "procps." + name
	for _, fact := range s.facts { // there are fewer than 50
		if fact.Name == name {
			return false // another output begins
		}
	}
	s.facts = append(s.facts, capture.Fact{Source: "vmstat", Name: name, Value: value})
	return true
}

// End implements capture.Reader.
func (s *sums) End() (capture.Found, error) {
	found := capture.Found{Facts: s.facts}
	if s.Cut {
		found.Facts = s.facts[:len(s.facts)-1]
		found.Notes = append(found.Notes, cutOff("line"))
	}
	if len(found.Facts) == 0 {
		return capture.Found{}, errors.New("it is cut off in its first line")
	}
	return found, nil
}
