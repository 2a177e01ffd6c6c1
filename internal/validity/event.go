package validity

import (
	"fmt"

	"plinth/internal/record"
	"plinth/internal/unit"
)

// pressed is the share of the requested pressure that background load must reach.
const pressed = 0.95

var eventReasons = []rule{{
	name: "event-failed",
	hint: "run the event by hand in the benchmark database",
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
		hint: "use a longer duration",
		when: func(c Case) bool { return len(c.Run.Events) > 0 },
		check: func(c Case) string {
			for _, e := range c.Run.Events {
				if after := e.At + e.Took - c.Run.Result.Duration; e.Error == "" && after > 0 {
					return fmt.Sprintf("%s was still running %s after the end of the measured window", e.Name, seconds(after))
				}
			}
			return ""
		},
	},
	{
		name: "pressure-short",
		hint: "lower the rates in pressure:, or find out what limits the background load",
		when: func(c Case) bool { return c.Environment.Pressure != nil },
		check: func(c Case) string {
			asked, reached := c.Environment.Pressure, c.Run.Pressure
			if reached == nil {
				return "the background load that ran alongside this environment is not known"
			}
			return short(*asked, *reached)
		},
	},
}

// short describes how background load fell short of what was requested; "" if it did not.
func short(asked, reached record.Pressure) string {
	held := reached.Memory + reached.Swapped
	switch {
	case reached.Killed:
		return fmt.Sprintf("the background load was killed when memory ran out; until then it held %s of the machine's memory", percent(held))
	case reached.Write < pressed*asked.Write || reached.Read < pressed*asked.Read:
		return fmt.Sprintf("the background load wrote %s and read %s, less than the requested %s and %s",
			unit.Rate(reached.Write), unit.Rate(reached.Read), unit.Rate(asked.Write), unit.Rate(asked.Read))
	case held < pressed*asked.Memory:
		return fmt.Sprintf("the background load held %s of the machine's memory, less than the requested %s", percent(held), percent(asked.Memory))
	case reached.CPU+reached.Waiting < pressed*asked.CPU:
		return fmt.Sprintf("the background load ran on %s CPUs, fewer than the requested %s", plain(reached.CPU), plain(asked.CPU))
	}
	return ""
}
