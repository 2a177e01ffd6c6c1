package check

import (
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/experiment/mistake"
	"plinth/internal/strictyaml"
)

// storages checks the volumes of the servers that plinth creates, each on its own and against all
// others.
func storages(notes *mistake.Notes, e *experiment.Experiment) {
	taken := map[string]string{}
	for i := range e.Environments {
		env := &e.Environments[i]
		if env.Existing() {
			continue
		}
		if e.Dataset.Shared { // which environments share a disk is known once the tuning is resolved (volume.Conflict)
			clear(taken)
		}
		for where, v := range named(env) {
			if env.Kubernetes.There() {
				claim(notes, v, where)
			} else {
				volume(notes, v, where)
			}
			alone(notes, v, env.At.Machine(), where, taken)
		}
		tablespaceNames(notes, &env.Storage)
		tablespaceNames(notes, &env.Replica.Storage)
	}
}

// reservedWords holds the SQL key words that need quotes as a name (PostgreSQL 18, appendix C:
// reserved, including those that can be function or type names).
var reservedWords = strings.Fields(`all analyse analyze and any array as asc asymmetric authorization binary both case cast check
	collate collation column concurrently constraint create cross current_catalog current_date current_role current_schema
	current_time current_timestamp current_user default deferrable desc distinct do else end except false fetch for foreign freeze
	from full grant group having ilike in initially inner intersect into is isnull join lateral leading left like limit localtime
	localtimestamp natural not notnull null offset on only or order outer overlaps placing primary references returning right
	select session_user similar some symmetric system_user table tablesample then to trailing true union unique user using
	variadic verbose when where window with`)

func tablespaceNames(notes *mistake.Notes, s *experiment.Storage) {
	for i := range s.Tablespaces {
		name := &s.Tablespaces[i].Name
		place := notes.Places[name]
		switch {
		case !experiment.ValidTablespace.MatchString(*name):
			notes.Add(place, "", "a tablespace cannot be named %s: use at most 63 lower-case letters, digits and underscores, not beginning with a digit", strictyaml.Quote(*name))
		case strings.HasPrefix(*name, "pg_"):
			notes.Add(place, "", "a tablespace cannot be named %s: names that begin with pg_ are reserved for PostgreSQL", *name)
		case strings.HasPrefix(*name, "plinth_"):
			notes.Add(place, "", "a tablespace cannot be named %s: names that begin with plinth_ are reserved for plinth", *name)
		case slices.Contains([]string{experiment.RoleData, experiment.RoleWAL, experiment.RoleTemp}, *name):
			notes.Add(place, "", "a tablespace cannot be named %s: that is the name of another volume", *name)
		case slices.Contains(reservedWords, *name):
			notes.Add(place, "", "a tablespace cannot be named %s: it is a reserved word in SQL", *name)
		}
	}
}

// alone notes a device or file that another volume of its machine already uses. A directory can hold any number of
// volumes, each in its own subdirectory.
func alone(notes *mistake.Notes, v *experiment.Volume, machine, where string, taken map[string]string) {
	for _, d := range v.Disks() {
		for _, path := range []*string{&d.Device, &d.File} {
			if *path == "" || !notes.Sound(path) {
				continue
			}
			clean := machine + ":" + filepath.Clean(*path)
			other, both := taken[clean]
			if !both {
				taken[clean] = where
				continue
			}
			notes.Add(notes.Places[path], "give each volume its own device or file; several can share a directory", "%s: %s is already used by %s", where, strictyaml.Bare(*path), other)
		}
	}
}

func path(notes *mistake.Notes, path *string, where string) {
	switch {
	case *path == "" || !notes.Sound(path):
	case strings.HasPrefix(*path, "~"):
		notes.Add(notes.Places[path], "write the full path", "%s: ~ is not expanded here", where)
	case hasControl(*path):
		notes.Add(notes.Places[path], "", "%s: a control character in the path", where)
	}
}

// named yields all volumes that an environment can have, declared or not, each with its key path in
// the file.
func named(e *experiment.Environment) iter.Seq2[string, *experiment.Volume] {
	return func(yield func(string, *experiment.Volume) bool) {
		for _, s := range []struct {
			*experiment.Storage
			key string
		}{{&e.Storage, "storage"}, {&e.Replica.Storage, "replica.storage"}} {
			roles := []string{experiment.RoleData, experiment.RoleWAL, experiment.RoleTemp}
			for _, space := range s.Tablespaces {
				roles = append(roles, "tablespaces."+strictyaml.Bare(space.Name))
			}
			for i, v := range s.Volumes() {
				if !yield("environments."+strictyaml.Bare(e.Name)+"."+s.key+"."+roles[i], v) {
					return
				}
			}
		}
	}
}
