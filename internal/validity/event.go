package validity

import (
	"fmt"

	"plinth/internal/record"
	"plinth/internal/unit"
)

// pressed is the part of the asked-for pressure that a neighbour must reach.
const pressed = 0.95

var eventReasons = []rule{{
	name: "event-failed",
	hint: "try it by hand in the database of the load",
	when: func(c Case) bool { return len(c.Run.Events) > 0 },
	check: func(c Case) string {
		for _, e := range c.Run.Events {
			if e.Error != "" {
				return fmt.Sprintf("%s failed: %s", e.Name, e.Error)
			}
		}
		return ""
	},
}}

var eventWarnings = []rule{
	{
		name: "event-outlasted",
		hint: "give the runs a longer duration",
		when: func(c Case) bool { return len(c.Run.Events) > 0 },
		check: func(c Case) string {
			for _, e := range c.Run.Events {
				if after := e.At + e.Took - c.Run.Result.Duration; e.Error == "" && after > 0 {
					return fmt.Sprintf("%s went on for %s after the measured window", e.Name, seconds(after))
				}
			}
			return ""
		},
	},
	{
		name: "pressure-short",
		hint: "ask for less pressure, or see what holds the neighbour back",
		when: func(c Case) bool { return c.Environment.Pressure != nil },
		check: func(c Case) string {
			asked, reached := c.Environment.Pressure, c.Run.Pressure
			if reached == nil {
				return "the neighbour's load beside this environment is not known"
			}
			return short(*asked, *reached)
		},
	},
}

// short is by what a neighbour missed what was asked of it; "" where it did not.
func short(asked, reached record.Pressure) string {
	held := reached.Memory + reached.Swapped
	switch {
	case reached.Killed:
		return fmt.Sprintf("the neighbour was killed when memory ended: until then it held %s of the machine's", percent(held))
	case reached.Write < pressed*asked.Write || reached.Read < pressed*asked.Read:
		return fmt.Sprintf("the neighbour wrote %s and read %s, less than the %s and %s that were asked for",
			unit.Rate(reached.Write), unit.Rate(reached.Read), unit.Rate(asked.Write), unit.Rate(asked.Read))
	case held < pressed*asked.Memory:
		return fmt.Sprintf("the neighbour held %s of the machine's memory, less than the %s that were asked for", percent(held), percent(asked.Memory))
	case reached.CPU+reached.Waiting < pressed*asked.CPU:
		return fmt.Sprintf("the neighbour ran on %s CPUs, fewer than the %s that were asked for", plain(reached.CPU), plain(asked.CPU))
	}
	return ""
}
