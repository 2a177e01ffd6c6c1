package check

import (
	"slices"
	"strconv"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/strictyaml"
)

func (c *checker) environments() {
	e := c.e
	if len(e.Environments) == 0 {
		if c.Sound(&e.Environments) {
			c.Add(nil, "add environments: {here: {storage: {data: .}}}", "no environments: there is nothing to measure")
		}
		return
	}
	names := make([]string, len(e.Environments))
	for i := range e.Environments {
		names[i] = e.Environments[i].Name
		c.environment(&e.Environments[i])
	}
	if c.Sound(&e.Baseline) && !slices.Contains(names, e.Baseline) {
		c.Add(c.Places[&e.Baseline], hint.DidYouMean(e.Baseline, names, "it can be "+hint.Choice(names)),
			"baseline: no environment is named %s", strictyaml.Quote(e.Baseline))
	}
}

func (c *checker) environment(env *experiment.Environment) {
	where := "environments." + strictyaml.Bare(env.Name)
	if env.Connect != "" {
		c.connected(env, where)
		return
	}
	if place := c.Places[&env.Disposable]; place != nil && c.Sound(&env.Connect, &env.Disposable) {
		c.Add(place, "leave it out", "%s: disposable is about a server that is already there, and this one has no connect", where)
	}
}

// connected checks an environment whose server is already there.
func (c *checker) connected(env *experiment.Environment, where string) {
	const notOurs = "leave it out: plinth does not make the server that connect names"
	if place := c.Places[&env.Storage]; place != nil {
		c.Add(place, notOurs, "%s: storage together with connect", where)
	}
	if place := c.Places[&env.Postgres]; place != nil {
		c.Add(place, notOurs, "%s: postgres together with connect", where)
	}
	if place := c.Places[&env.Limits]; place != nil {
		c.Add(place, notOurs, "%s: limits together with connect", where)
	}
	if place := c.Places[&env.Pressure]; place != nil {
		c.Add(place, notOurs, "%s: pressure together with connect", where)
	}
	if place := c.Places[&env.Redis]; place != nil {
		c.Add(place, notOurs, "%s: redis together with connect", where)
	}
	if place := c.Places[&env.Replica]; place != nil {
		c.Add(place, notOurs, "%s: replica together with connect", where)
	}
	if other := env.Connect.Engine(); other != c.e.Engine {
		c.Add(c.Places[&env.Connect], "say engine: "+other+", or name a server of "+experiment.EngineName(c.e.Engine), "%s.connect: it names a server of %s", where, experiment.EngineName(other))
	} else if err := env.Connect.Check(); err != nil {
		text, hint, _ := strings.Cut(err.Error(), "; ")
		c.Add(c.Places[&env.Connect], hint, "%s.connect: %s", where, text)
	}
	if !env.Disposable && c.Sound(&env.Disposable) {
		c.Add(c.Places[&env.Connect], "add disposable: true if plinth may make and drop a database named plinth_... there",
			"%s: connect without disposable: true", where)
	}
}

// connections checks that the servers of plinth's own will let all clients in,
// where max_connections is declared; elsewhere they are made to. Nothing is
// reserved there: plinth's user is a superuser.
func (c *checker) connections() {
	e := c.e
	if e.Engine != experiment.EnginePostgres || !c.Sound(&e.Clients, &e.Settings, &e.Connect) {
		return
	}
	most := slices.Max(e.Clients)
	place := first(c.Places[&e.Clients[slices.Index(e.Clients, most)]], c.Places[&e.Clients])
	for _, env := range e.Environments {
		limit, declared := maxConnections(e.SettingsOf(env))
		needed := e.Connections() + experiment.OwnSessions
		if env.Connect != "" || !declared || needed <= limit {
			continue
		}
		why := "2 are plinth's own"
		if e.Connect == "each" {
			why += ", and with connect: each a client needs up to 2"
		}
		c.Add(place, "set settings.max_connections to "+strconv.Itoa(needed)+" or more, or leave it out",
			"clients: %d, but with max_connections %d the server of %s lets %d in (%s)",
			most, limit, strictyaml.Bare(env.Name), max(0, limit-experiment.OwnSessions)*most/e.Connections(), why)
	}
}

// maxConnections is what settings declare it to be. A value that is no number is
// for the server to refuse.
func maxConnections(settings map[string]string) (limit int, declared bool) {
	for name, value := range settings {
		n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 32)
		if strings.EqualFold(name, "max_connections") && err == nil && n >= 0 {
			return int(n), true
		}
	}
	return 0, false
}

// caches checks that what drops everybody's page cache is allowed to.
func (c *checker) caches() {
	e := c.e
	if e.Caches == experiment.CachesDrop && !e.AllowHost && c.Sound(&e.Caches, &e.AllowHost) {
		c.Add(c.Places[&e.Caches], "add allow_host: true, or leave it out", "caches: drop empties the page cache of the whole machine")
	}
}
