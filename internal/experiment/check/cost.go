package check

import (
	"maps"
	"slices"
	"strconv"

	"plinth/internal/experiment"
	"plinth/internal/experiment/mistake"
	"plinth/internal/strictyaml"
)

// cost checks what is paid for an environment, or for all. Whether a price book has the names is known
// only when a bill is made.
func cost(notes *mistake.Notes, c *experiment.Cost, instance, where string) {
	for _, name := range slices.Sorted(maps.Keys(c.Further)) {
		place := notes.Places[mistake.Setting{Of: &c.Further, Name: name}]
		if amount, err := strconv.ParseFloat(c.Further[name], 64); err != nil || !(amount >= 0 && amount < 1e12) {
			notes.Add(place, "write an amount per month: 120", "%s.further: %s is not an amount", where, strictyaml.Quote(c.Further[name]))
		}
		text(notes, place, name, longestLabel, where+".further")
	}
	for i := range c.Volumes {
		v := &c.Volumes[i]
		if place := notes.Places[v]; place != nil && v.For == "" && v.Type == "" && notes.Sound(v, &v.For, &v.Type) {
			notes.Add(place, "write for: data, or type: gp3", "%s.volumes: the volume has neither a role nor a type", where)
		}
	}
	premises(notes, c, instance, where)
	if c.Discount == 1 {
		notes.Add(notes.Places[&c.Discount], "leave the instance out if it costs nothing", "%s.discount: nothing is left of the price", where)
	}
}

// premises checks a machine that is owned.
func premises(notes *mistake.Notes, c *experiment.Cost, instance, where string) {
	p := &c.Premises
	place := notes.Places[p]
	switch {
	case place == nil || !notes.Sound(p, &p.Capital, &p.Watts, &p.KilowattHour) || !p.There():
	case p.Capital == 0:
		notes.Add(place, "add capital: 8000", "%s.on_premises: the price of the machine is missing", where)
	case (p.Watts > 0) != (p.KilowattHour > 0):
		notes.Add(place, "give watts and kilowatt_hour together", "%s.on_premises: the cost of power needs both the power and its price", where)
	case instance != "":
		notes.Add(place, "leave one of them out", "%s.on_premises: the environment has a rented instance, %s", where, strictyaml.Bare(instance))
	}
}
