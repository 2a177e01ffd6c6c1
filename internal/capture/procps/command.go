package procps

import (
	"regexp"
	"strconv"
	"strings"
)

// command holds the options of vmstat's command line, where a text has it above the output.
type command struct {
	seen  bool
	unit  string  // of -S, "" without
	delay float64 // seconds; 0 if unknown
	skip  bool    // -y: there is no row with averages since boot
}

var prompt = regexp.MustCompile(`^(?:\S*[#$%>] ?)?((?:sudo |/usr/bin/)*vmstat(?: .*)?)$`)

// parseCommand reads a line such as "$ vmstat -w -S M 1 60". It is no command line of vmstat's other modes.
func parseCommand(line string) (command, bool) {
	found := prompt.FindStringSubmatch(strings.TrimSpace(line))
	if found == nil {
		return command{}, false
	}
	parsed := command{seen: true}
	for words := strings.Fields(found[1])[1:]; len(words) > 0; words = words[1:] {
		word := words[0]
		switch {
		case word == "--unit" || !strings.HasPrefix(word, "--") && strings.HasPrefix(word, "-") && strings.HasSuffix(word, "S"):
			if word != "--unit" {
				parsed.option(word)
			}
			if words = words[1:]; len(words) == 0 {
				return command{}, false
			}
			parsed.unit = words[0]
		case strings.HasPrefix(word, "-"):
			parsed.option(word)
		case redirections[word]:
			return parsed, true
		default:
			if delay, err := strconv.ParseUint(word, 10, 31); err == nil && parsed.delay == 0 {
				parsed.delay = float64(delay)
			}
		}
	}
	return parsed, true
}

// redirections end the options.
var redirections = map[string]bool{"|": true, ">": true, ">>": true, "2>&1": true, "&": true}

func (c *command) option(word string) {
	unit, long := strings.CutPrefix(word, "--unit=")
	switch {
	case long:
		c.unit = unit
	case word == "--no-first":
		c.skip = true
	case !strings.HasPrefix(word, "--"): // letters, of which S takes the rest of the word
		letters, unit, has := strings.Cut(word, "S")
		if has {
			c.unit = unit
		}
		c.skip = c.skip || strings.Contains(letters, "y")
	}
}

// units are the arguments of -S, in bytes.
var units = map[string]float64{"": 1024, "b": 1, "B": 1, "k": 1000, "K": 1024, "m": 1e6, "M": 1 << 20}
