package experiment

import (
	"iter"
	"maps"
	"strings"

	"plinth/internal/strictyaml"
)

// RoleReplica stands before the roles of a replica's volumes: "replica data".
const RoleReplica = "replica"

// Parts are the volumes that an environment asks for: those of its server, then
// those of its replica.
func (e Environment) Parts() []Part { return append(e.Storage.Parts(), e.Replica.Parts()...) }

// Parts are the volumes that a replica asks for, with roles of their own.
func (r Replica) Parts() []Part {
	parts := r.Storage.Parts()
	for i := range parts {
		parts[i].Role = RoleReplica + " " + parts[i].Role
	}
	return parts
}

// ReplicaOf is an environment of which the server is the replica of another one's:
// what makes servers needs to know no more of it.
func ReplicaOf(e Environment) Environment {
	settings := map[string]string{}
	for _, declared := range []map[string]string{e.Settings, e.Replica.Settings} {
		for name, value := range declared {
			maps.DeleteFunc(settings, func(other, _ string) bool { return strings.EqualFold(name, other) })
			settings[name] = value
		}
	}
	return Environment{
		Name: e.Name, Storage: e.Replica.Storage, Postgres: e.Postgres, Redis: e.Redis,
		Settings: settings, Limits: e.Replica.Limits, Telemetry: e.Telemetry, Dataset: e.Dataset,
	}
}

// stored is a storage of an environment, with its key there.
type stored struct {
	*Storage
	key string
}

// storages are all storages that an environment can have, whether or not they are there.
func (e *Environment) storages() []stored {
	return []stored{{&e.Storage, "storage"}, {&e.Replica.Storage, "replica.storage"}}
}

// volumes are all volumes that an environment can have, whether or not they are there.
func (e *Environment) volumes() []*Volume {
	return append(e.Storage.volumes(), e.Replica.Storage.volumes()...)
}

// paths are all paths of its storages.
func (e *Environment) paths() []*string {
	return append(e.Storage.paths(), e.Replica.Storage.paths()...)
}

// named are all volumes, each with where it stands in the file.
func (e *Environment) named() iter.Seq2[string, *Volume] {
	return func(yield func(string, *Volume) bool) {
		for _, s := range e.storages() {
			for i, v := range s.volumes() {
				if !yield("environments."+strictyaml.Bare(e.Name)+"."+s.key+"."+s.role(i), v) {
					return
				}
			}
		}
	}
}
