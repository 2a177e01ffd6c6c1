package experiment

import (
	"slices"
	"strconv"
	"strings"

	"plinth/internal/hint"
	"plinth/internal/strictyaml"
)

func (c *checker) environments() {
	e := c.e
	if len(e.Environments) == 0 {
		if c.sound(&e.Environments) {
			c.add(nil, "add environments: {here: {storage: {data: .}}}", "no environments: there is nothing to measure")
		}
		return
	}
	names := make([]string, len(e.Environments))
	for i := range e.Environments {
		names[i] = e.Environments[i].Name
		c.environment(&e.Environments[i])
	}
	if c.sound(&e.Baseline) && !slices.Contains(names, e.Baseline) {
		c.add(c.places[&e.Baseline], hint.DidYouMean(e.Baseline, names, "it can be "+choice(names)),
			"baseline: no environment is named %s", strictyaml.Quote(e.Baseline))
	}
}

func (c *checker) environment(env *Environment) {
	where := "environments." + strictyaml.Bare(env.Name)
	if env.Connect != "" {
		c.connected(env, where)
		return
	}
	if place := c.places[&env.Disposable]; place != nil && c.sound(&env.Connect, &env.Disposable) {
		c.add(place, "leave it out", "%s: disposable is about a server that is already there, and this one has no connect", where)
	}
}

// connected checks an environment whose server is already there.
func (c *checker) connected(env *Environment, where string) {
	const notOurs = "leave it out: plinth does not make the server that connect names"
	if place := c.places[&env.Storage]; place != nil {
		c.add(place, notOurs, "%s: storage together with connect", where)
	}
	if place := c.places[&env.Postgres]; place != nil {
		c.add(place, notOurs, "%s: postgres together with connect", where)
	}
	if place := c.places[&env.Limits]; place != nil {
		c.add(place, notOurs, "%s: limits together with connect", where)
	}
	if place := c.places[&env.Pressure]; place != nil {
		c.add(place, notOurs, "%s: pressure together with connect", where)
	}
	if place := c.places[&env.Redis]; place != nil {
		c.add(place, notOurs, "%s: redis together with connect", where)
	}
	if place := c.places[&env.Replica]; place != nil {
		c.add(place, notOurs, "%s: replica together with connect", where)
	}
	if other := env.Connect.Engine(); other != c.e.Engine {
		c.add(c.places[&env.Connect], "say engine: "+other+", or name a server of "+engineNames[c.e.Engine], "%s.connect: it names a server of %s", where, engineNames[other])
	} else if err := env.Connect.Check(); err != nil {
		text, hint, _ := strings.Cut(err.Error(), "; ")
		c.add(c.places[&env.Connect], hint, "%s.connect: %s", where, text)
	}
	if !env.Disposable && c.sound(&env.Disposable) {
		c.add(c.places[&env.Connect], "add disposable: true if plinth may make and drop a database named plinth_... there",
			"%s: connect without disposable: true", where)
	}
}

// OwnSessions is how many connections plinth itself opens beside the load's: one
// that it keeps; and during the load one that reads the server's statistics, after
// it one to see whether the server still lets anybody in.
const OwnSessions = 2

// Connections is how many connections the load has open at once at the most: one
// for each client, and two where each transaction connects anew, because the one
// before may not have gone yet.
func (e *Experiment) Connections() int {
	if len(e.Clients) == 0 {
		return 0
	}
	most := slices.Max(e.Clients)
	if e.Connect == "each" {
		most *= 2
	}
	return most
}

// connections checks that the servers of plinth's own will let all clients in,
// where max_connections is declared; elsewhere they are made to. Nothing is
// reserved there: plinth's user is a superuser.
func (c *checker) connections() {
	e := c.e
	if e.Engine != EnginePostgres || !c.sound(&e.Clients, &e.Settings, &e.Connect) {
		return
	}
	most := slices.Max(e.Clients)
	place := first(c.places[&e.Clients[slices.Index(e.Clients, most)]], c.places[&e.Clients])
	for _, env := range e.Environments {
		limit, declared := maxConnections(e.SettingsOf(env))
		needed := e.Connections() + OwnSessions
		if env.Connect != "" || !declared || needed <= limit {
			continue
		}
		why := "2 are plinth's own"
		if e.Connect == "each" {
			why += ", and with connect: each a client needs up to 2"
		}
		c.add(place, "set settings.max_connections to "+strconv.Itoa(needed)+" or more, or leave it out",
			"clients: %d, but with max_connections %d the server of %s lets %d in (%s)",
			most, limit, strictyaml.Bare(env.Name), max(0, limit-OwnSessions)*most/e.Connections(), why)
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

// What caches hold once a server was switched in.
const (
	CachesKeep    = "keep"
	CachesDrop    = "drop"
	CachesPrewarm = "prewarm"
)

// caches checks that what drops everybody's page cache is allowed to.
func (c *checker) caches() {
	e := c.e
	if e.Caches == CachesDrop && !e.AllowHost && c.sound(&e.Caches, &e.AllowHost) {
		c.add(c.places[&e.Caches], "add allow_host: true, or leave it out", "caches: drop empties the page cache of the whole machine")
	}
}
