package experiment

import (
	"slices"
	"strings"

	"plinth/internal/hint"
	"plinth/internal/strictyaml"
	"plinth/internal/unit"
)

// beside checks what happens beside the load, and what concerns several volumes.
func (c *checker) beside() {
	c.rates()
	c.events()
	c.durability()
	c.replicas()
	for i := range c.e.Environments {
		env := &c.e.Environments[i]
		if env.Connect != "" || !c.sound(env) {
			continue
		}
		where := "environments." + strictyaml.Bare(env.Name)
		c.pressure(env, where)
		c.space(&c.e.Dataset.Tablespace, "tablespace", env)
		c.space(&c.e.Dataset.IndexSpace, "index_tablespace", env)
		c.temporary(&c.e.Settings, "settings", env)
		c.temporary(&env.Settings, where+".settings", env)
	}
}

// RateShare is the part of their rates that emulated devices have; fit says that
// this machine decides, and share has no meaning.
func (e *Experiment) RateShare() (share float64, fit bool) {
	switch e.EmulatedRates {
	case "", "full":
		return 1, false
	case "fit":
		return 0, true
	}
	parsed, _ := unit.ParseShare(e.EmulatedRates) // checked when it was loaded
	return float64(parsed), false
}

func (c *checker) rates() {
	text := c.e.EmulatedRates
	if text == "" || text == "full" || text == "fit" || !c.sound(&c.e.EmulatedRates) {
		return
	}
	if share, err := unit.ParseShare(text); err != nil || share == 0 {
		c.add(c.places[&c.e.EmulatedRates], hint.DidYouMean(text, []string{"full", "fit"}, "it can be full, fit, or a share such as 25%"),
			"emulated_rates: unknown value %s", strictyaml.Quote(text))
	}
}

func (c *checker) pressure(env *Environment, where string) {
	p := &env.Pressure
	if *p == (Pressure{}) && c.places[p] == nil || !c.sound(p) {
		return
	}
	var names []string
	for _, part := range env.Storage.Parts() {
		names = append(names, part.Name)
	}
	if *p == (Pressure{Volume: p.Volume}) {
		c.add(c.places[p], "add write: 50MiB/s, read, memory: 80% or cpu: 2", "%s.pressure: it asks for nothing", where)
		return
	}
	c.misplaced(&p.Volume, p.Write > 0 || p.Read > 0, "add write: 50MiB/s, or leave it out", where+".pressure", "volume is where it writes and reads, and it does neither")
	if p.Volume != "" && !slices.Contains(names, p.Volume) && c.sound(&env.Storage) {
		c.add(c.places[&p.Volume], hint.DidYouMean(p.Volume, names, "it can be "+choice(names)),
			"%s.pressure: there is no volume %s in this environment", where, strictyaml.Quote(p.Volume))
	}
}

// space checks that an environment has the tablespace of the dataset.
func (c *checker) space(name *string, key string, env *Environment) {
	if *name == "" || *name == "pg_default" || !c.sound(name, &env.Storage) {
		return
	}
	names := []string{"pg_default"}
	for _, t := range env.Storage.Tablespaces {
		names = append(names, t.Name)
	}
	if !slices.Contains(names, *name) {
		c.add(c.places[name], hint.DidYouMean(*name, names, "add it to storage.tablespaces there: every environment needs it"),
			"dataset.%s: %s has no tablespace %s", key, strictyaml.Bare(env.Name), strictyaml.Quote(*name))
	}
}

// temporary notes the setting that storage.temp makes itself.
func (c *checker) temporary(settings *map[string]string, where string, env *Environment) {
	for name := range *settings {
		if strings.EqualFold(name, "temp_tablespaces") && env.Storage.Temp.given() {
			c.add(c.places[settingPlace{settings, name}], "leave out one of the two",
				"%s: temp_tablespaces, and storage.temp in %s, which sets it", where, strictyaml.Bare(env.Name))
		}
	}
}
