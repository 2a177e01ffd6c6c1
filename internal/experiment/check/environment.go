package check

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"plinth/internal/experiment"
	"plinth/internal/experiment/mistake"
	"plinth/internal/hint"
	"plinth/internal/strictyaml"
)

func environments(notes *mistake.Notes, e *experiment.Experiment) {
	if len(e.Environments) == 0 {
		if notes.Sound(&e.Environments) {
			notes.Add(nil, "add environments: {here: {storage: {data: .}}}", "no environments: there is nothing to measure")
		}
		return
	}
	cost(notes, &e.Cost, "", "cost")
	names := make([]string, len(e.Environments))
	for i := range e.Environments {
		names[i] = e.Environments[i].Name
		env := &e.Environments[i]
		where := "environments." + strictyaml.Bare(env.Name)
		described(notes, env, where)
		instances(notes, env, where)
		cost(notes, &env.Cost, env.Instance, where+".cost")
		machine(notes, env, where)
		listen(notes, e, env, where)
		optional(notes, env, where)
		if env.Connect != "" {
			connected(notes, e, env, where)
		} else if place := notes.Places[&env.Disposable]; place != nil && !env.Existing() && notes.Sound(&env.Connect, &env.Kubernetes, &env.Disposable) {
			notes.Add(place, "leave it out", "%s: disposable applies only to an existing server, and this environment has no connect", where)
		}
	}
	oneAccount(notes, e)
	generators(notes, e)
	kubernetes(notes, e)
	if notes.Sound(&e.Baseline) && !slices.Contains(names, e.Baseline) {
		notes.Add(notes.Places[&e.Baseline], hint.DidYouMean(e.Baseline, names, "it can be "+hint.Choice(names)),
			"baseline: no environment is named %s", strictyaml.Quote(e.Baseline))
	}
}

// optional checks that an optional environment needs something that plinth does not create.
func optional(notes *mistake.Notes, env *experiment.Environment, where string) {
	if env.Optional && env.Connect == "" && env.Kubernetes.Operator == "" && notes.Sound(&env.Connect, &env.Kubernetes, &env.Kubernetes.Operator) {
		notes.Add(notes.Places[&env.Optional], `leave it out, or add connect: "" for a server that is named later`,
			"%s: optional applies only to environments with a storage class of a cluster, or with connect", where)
	}
}

// Limits of descriptions: they are cells of tables.
const (
	longestLabel = 80
	longestFact  = 200
	mostFacts    = 20
)

// described checks the label and the facts of an environment, which are shown everywhere.
func described(notes *mistake.Notes, env *experiment.Environment, where string) {
	text(notes, notes.Places[&env.Label], env.Label, longestLabel, where+".label")
	if len(env.Facts) > mostFacts {
		notes.Add(notes.Places[&env.Facts], "", "%s.facts: %d facts, more than the maximum of %d", where, len(env.Facts), mostFacts)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(env.Facts)) {
		place := notes.Places[mistake.Setting{Of: &env.Facts, Name: name}]
		if env.Facts[name] == "" {
			notes.Add(place, "give it a value, or leave it out", "%s.facts: %s is empty", where, strictyaml.Bare(name))
		}
		text(notes, place, name, longestLabel, where+".facts")
		text(notes, place, env.Facts[name], longestFact, where+".facts."+strictyaml.Bare(name))
	}
}

// text notes a text that cannot be a cell of a table, or must not be shown.
func text(notes *mistake.Notes, place *yaml.Node, value string, longest int, where string) {
	switch {
	case hasControl(value):
		notes.Add(place, "write it on one line, without control characters", "%s: a control character in the text", where)
	case utf8.RuneCountInString(value) > longest:
		notes.Add(place, "", "%s: the text is longer than %d characters", where, longest)
	case strictyaml.LooksSecret(value):
		notes.Add(place, "leave the password out: this text appears in records and pages", "%s: the text may hold a password", where)
	}
}

// connected checks an environment with an existing server.
func connected(notes *mistake.Notes, e *experiment.Experiment, env *experiment.Environment, where string) {
	const notOurs = "leave it out: with connect, plinth does not create the server"
	describedStorage(notes, env, notOurs, where)
	for _, key := range []struct {
		pointer any
		name    string
	}{
		{&env.Postgres, "postgres"}, {&env.Limits, "limits"}, {&env.Transport, "transport"},
		{&env.Pressure, "pressure"}, {&env.Redis, "redis"}, {&env.Replica, "replica"},
	} {
		if place := notes.Places[key.pointer]; place != nil {
			notes.Add(place, notOurs, "%s: %s cannot be combined with connect", where, key.name)
		}
	}
	if other := env.Connect.Engine(); other != e.Engine {
		notes.Add(notes.Places[&env.Connect], "set engine: "+other+", or give a "+experiment.EngineName(e.Engine)+" server", "%s.connect: this is a %s server", where, experiment.EngineName(other))
	} else if err := env.Connect.Check(); err != nil {
		text, hint, _ := strings.Cut(err.Error(), "; ")
		notes.Add(notes.Places[&env.Connect], hint, "%s.connect: the connection string %s", where, text)
	}
	if !env.Disposable && notes.Sound(&env.Disposable) {
		notes.Add(notes.Places[&env.Connect], "add disposable: true if plinth may create and drop a database named plinth_... on this server (Redis: keys that begin with plinth:)",
			"%s: connect requires disposable: true", where)
	}
}

// describedStorage checks the storage of an existing server: plinth does not choose it, but the file
// can say what its data and its WAL are on.
func describedStorage(notes *mistake.Notes, env *experiment.Environment, notOurs, where string) {
	place := notes.Places[&env.Storage]
	if place == nil || !notes.Sound(&env.Storage) {
		return
	}
	known := []string{experiment.RoleData, experiment.RoleWAL}
	fits := env.Storage.Data.Given() || env.Storage.WAL.Given()
	for i, v := range env.Storage.Volumes() {
		fits = fits && (!v.Given() || i < len(known) && v.OnlySaid())
		if v.Given() && i < len(known) && notes.Sound(v) {
			changes(notes, &v.Disk, where+".storage."+known[i])
			said(notes, &v.Disk, where+".storage."+known[i])
		}
	}
	if !fits {
		notes.Add(place, notOurs+"; storage: {data: {is: gp3}} describes the disk under its data", "%s: storage cannot be combined with connect", where)
	}
}

// connections checks that servers that plinth creates accept all clients if max_connections is
// declared; otherwise plinth sets it. Reserved connections do not count, because plinth's user is a
// superuser.
func connections(notes *mistake.Notes, e *experiment.Experiment) {
	if e.Engine != experiment.EnginePostgres || !notes.Sound(&e.Clients, &e.Settings, &e.Connect) {
		return
	}
	most := slices.Max(e.Clients)
	place := first(notes.Places[&e.Clients[slices.Index(e.Clients, most)]], notes.Places[&e.Clients])
	for _, env := range e.Environments {
		limit, declared := maxConnections(e.SettingsOf(env))
		needed := e.Connections() + experiment.OwnSessions
		if env.Existing() || !declared || needed <= limit {
			continue
		}
		why := "plinth itself uses 2"
		if e.Connect == "each" {
			why += ", and with connect: each a client needs up to 2"
		}
		notes.Add(place, "set settings.max_connections to "+strconv.Itoa(needed)+" or more, or leave it out",
			"clients: %d, but with max_connections = %d the server of %s accepts only %d (%s)",
			most, limit, strictyaml.Bare(env.Name), max(0, limit-experiment.OwnSessions)*most/e.Connections(), why)
	}
}

// maxConnections returns max_connections as declared in settings. It ignores a value that is not a
// number, which the server will refuse.
func maxConnections(settings map[string]string) (limit int, declared bool) {
	for name, value := range settings {
		n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 32)
		if strings.EqualFold(name, "max_connections") && err == nil && n >= 0 {
			return int(n), true
		}
	}
	return 0, false
}

// caches checks that emptying the page cache of the machine is allowed.
func caches(notes *mistake.Notes, e *experiment.Experiment) {
	if e.Caches == experiment.CachesDrop && !e.AllowHost && notes.Sound(&e.Caches, &e.AllowHost) {
		notes.Add(notes.Places[&e.Caches], "add allow_host: true, or leave it out", "caches: drop empties the page cache of the whole machine")
	}
}
