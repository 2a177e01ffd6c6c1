package check

import (
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/experiment/mistake"
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
		if env.Connect != "" || !c.Sound(env) {
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

func (c *checker) rates() {
	text := c.e.EmulatedRates
	if text == "" || text == "full" || text == "fit" || !c.Sound(&c.e.EmulatedRates) {
		return
	}
	if share, err := unit.ParseShare(text); err != nil || share == 0 {
		c.Add(c.Places[&c.e.EmulatedRates], hint.DidYouMean(text, []string{"full", "fit"}, "it can be full, fit, or a share such as 25%"),
			"emulated_rates: unknown value %s", strictyaml.Quote(text))
	}
}

func (c *checker) pressure(env *experiment.Environment, where string) {
	p := &env.Pressure
	if *p == (experiment.Pressure{}) && c.Places[p] == nil || !c.Sound(p) {
		return
	}
	var names []string
	for _, part := range env.Storage.Parts() {
		names = append(names, part.Name)
	}
	if *p == (experiment.Pressure{Volume: p.Volume}) {
		c.Add(c.Places[p], "add write: 50MiB/s, read, memory: 80% or cpu: 2", "%s.pressure: it asks for nothing", where)
		return
	}
	c.misplaced(&p.Volume, p.Write > 0 || p.Read > 0, "add write: 50MiB/s, or leave it out", where+".pressure", "volume is where it writes and reads, and it does neither")
	if p.Volume != "" && !slices.Contains(names, p.Volume) && c.Sound(&env.Storage) {
		c.Add(c.Places[&p.Volume], hint.DidYouMean(p.Volume, names, "it can be "+hint.Choice(names)),
			"%s.pressure: there is no volume %s in this environment", where, strictyaml.Quote(p.Volume))
	}
}

// space checks that an environment has the tablespace of the dataset.
func (c *checker) space(name *string, key string, env *experiment.Environment) {
	if *name == "" || *name == "pg_default" || !c.Sound(name, &env.Storage) {
		return
	}
	names := []string{"pg_default"}
	for _, t := range env.Storage.Tablespaces {
		names = append(names, t.Name)
	}
	if !slices.Contains(names, *name) {
		c.Add(c.Places[name], hint.DidYouMean(*name, names, "add it to storage.tablespaces there: every environment needs it"),
			"dataset.%s: %s has no tablespace %s", key, strictyaml.Bare(env.Name), strictyaml.Quote(*name))
	}
}

// temporary notes the setting that storage.temp makes itself.
func (c *checker) temporary(settings *map[string]string, where string, env *experiment.Environment) {
	for name := range *settings {
		if strings.EqualFold(name, "temp_tablespaces") && env.Storage.Temp.Given() {
			c.Add(c.Places[mistake.Setting{Of: settings, Name: name}], "leave out one of the two",
				"%s: temp_tablespaces, and storage.temp in %s, which sets it", where, strictyaml.Bare(env.Name))
		}
	}
}
