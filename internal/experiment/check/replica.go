package check

import (
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/experiment/mistake"
	"plinth/internal/strictyaml"
)

// replicas checks each replica against its environment. Other checks cover its volumes; its settings
// are checked here.
func replicas(notes *mistake.Notes, e *experiment.Experiment) {
	for i := range e.Environments {
		env := &e.Environments[i]
		place := notes.Places[&env.Replica]
		if place == nil || !notes.Sound(env, &env.Replica, &env.Storage) {
			continue
		}
		where := "environments." + strictyaml.Bare(env.Name)
		if env.Connect != "" {
			notes.Add(place, "leave it out: with connect, plinth does not create the server", "%s: replica cannot be combined with connect", where)
			continue
		}
		if env.Kubernetes.There() && (env.Existing() || e.Engine == experiment.EnginePostgres) {
			continue // kubernetes refuses it
		}
		settingsIn(notes, e, &env.Replica.Settings, where+".replica.settings")
		sameSpaces(notes, env, where)
		if e.Engine == experiment.EnginePostgres {
			feeding(notes, &e.Settings, "settings")
			feeding(notes, &env.Settings, where+".settings")
			feeding(notes, &env.Replica.Settings, where+".replica.settings")
		}
	}
}

// sameSpaces checks that a replica has volumes for exactly the tablespaces of its primary: otherwise
// its files would be stored in those of the primary.
func sameSpaces(notes *mistake.Notes, env *experiment.Environment, where string) {
	spaces := func(s experiment.Storage) (names []string) {
		for _, part := range s.Parts() {
			if part.Role != experiment.RoleData && part.Role != experiment.RoleWAL {
				names = append(names, part.Name)
			}
		}
		return names
	}
	primary, replica := spaces(env.Storage), spaces(env.Replica.Storage)
	for _, name := range primary {
		if !slices.Contains(replica, name) {
			notes.Add(notes.Places[&env.Replica], "add it to replica.storage", "%s.replica: the primary has a volume for %s, the replica has none", where, name)
		}
	}
	for _, name := range replica {
		if !slices.Contains(primary, name) {
			notes.Add(notes.Places[&env.Replica.Storage], "add it to storage as well", "%s.replica: the replica has a volume for %s, the primary has none", where, name)
		}
	}
}

// fed maps the PostgreSQL settings on which replication depends to the values that allow it; nil if
// plinth sets the value itself.
var fed = map[string][]string{
	"synchronous_standby_names": nil, "primary_conninfo": nil, "primary_slot_name": nil, "recovery_target_timeline": nil,
	"wal_level": {"replica", "logical"}, "hot_standby": {"on", "true", "yes", "1"},
}

func feeding(notes *mistake.Notes, settings *map[string]string, where string) {
	for _, name := range inFileOrder(notes, settings) {
		value, place := (*settings)[name], notes.Places[mistake.Setting{Of: settings, Name: name}]
		allowed, known := fed[strings.ToLower(name)]
		switch {
		case !known || allowed != nil && slices.Contains(allowed, strings.ToLower(value)):
		case allowed == nil:
			notes.Add(place, "leave it out; replica: {synchronous: true} makes commits wait",
				"%s: %s is set by plinth itself if there is a replica", where, name)
		default:
			notes.Add(place, "leave out the setting or the replica", "%s: %s = %s does not allow a replica", where, name, strictyaml.Bare(value))
		}
	}
}
