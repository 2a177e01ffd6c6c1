package advice

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/record"
)

// everysec is how far back the loss reaches with appendfsync everysec: a second, and another while a sync is
// delayed, because the server puts off a write for up to two seconds (flushAppendOnlyFile in src/aof.c).
const everysec = 2.0

// lossOf returns how many seconds of acknowledged writes a Redis server may lose in a power cut, by its
// policy; infinite for all of them, NaN if the policy is not known.
//
// https://redis.io/docs/latest/operate/oss_and_stack/management/persistence/
func lossOf(e record.Environment) float64 {
	set := e.Settings
	switch {
	case set["appendonly"] == "":
		return math.NaN()
	case set["appendonly"] == "yes" && set["no-appendfsync-on-rewrite"] == "yes":
		return math.Inf(1) // nothing is synced during a rewrite or a save, not even with always
	case set["appendonly"] == "yes" && set["appendfsync"] == "always":
		return 0
	case set["appendonly"] == "yes" && set["appendfsync"] == "everysec":
		return everysec
	case set["appendonly"] == "yes" && set["appendfsync"] == "no":
		return math.Inf(1) // the kernel decides when it writes
	case set["appendonly"] == "yes":
		return math.NaN()
	}
	return betweenSaves(set["save"])
}

// betweenSaves returns how many seconds may pass before a change is saved; infinite if it may never be. save has seconds
// and changes, in turn: a point that needs more than one change bounds no time.
func betweenSaves(save string) float64 {
	shortest, fields := math.Inf(1), strings.Fields(save)
	for i := 0; i+1 < len(fields); i += 2 {
		s, err := strconv.ParseFloat(fields[i], 64)
		if changes, wrong := strconv.Atoi(fields[i+1]); err == nil && wrong == nil && changes <= 1 {
			shortest = min(shortest, s)
		}
	}
	return shortest
}

// losses chooses an environment for each number of seconds that may be lost.
func (s *study) losses(r Rule) (choices []Choice, why string, err error) {
	levels, loss := []float64{}, map[string]float64{}
	for _, e := range s.sheet.Environments {
		l := lossOf(s.Record.Environments[e.Name])
		if loss[e.Name] = l; !math.IsNaN(l) && !slices.Contains(levels, l) {
			levels = append(levels, l)
		}
	}
	if len(levels) == 0 || len(levels) == 1 && !s.beside {
		return nil, "needs " + r.Needs, nil
	}
	slices.Sort(levels)
	why = "needs a workload that is known to write"
	for _, w := range s.workloads(writes) {
		before := ""
		for _, level := range levels {
			c, reason, err := s.choose(r, w, func(environment string) string {
				switch l := loss[environment]; {
				case math.IsNaN(l):
					return "its policy is not known"
				case l > level:
					return "may lose " + seconds(l)
				}
				return ""
			})
			if err != nil {
				return nil, "", err
			}
			if reason != "" {
				why = reason
				continue
			}
			if c.Environment == before { // more seconds gain nothing
				continue
			}
			before = c.Environment
			c.If, c.loss = seconds(level)+" lost", level
			c.Notes = append(c.Notes, s.lost(c.Environment)...)
			choices = append(choices, c)
		}
	}
	if len(choices) > 0 {
		why = ""
	}
	return choices, why, nil
}

// lost says what was lost in the faults of the record.
func (s *study) lost(environment string) []string {
	all := s.survivals(environment)
	for _, d := range s.Record.Summary.Survivals("", []string{environment}) {
		if back := d.Worst(func(i record.Injection) float64 { return i.Back }); back > 0 {
			all = append(all, fmt.Sprintf("the loss reached back %.2f s at most", back))
		}
	}
	return all
}

func seconds(l float64) string {
	switch {
	case l == 0:
		return "nothing"
	case math.IsInf(l, 1):
		return "everything"
	}
	return fmt.Sprintf("up to %.0f s", l)
}
