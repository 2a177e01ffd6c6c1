package manifest

import (
	"cmp"
	"strconv"

	"plinth/internal/experiment"
)

// newestPostgres is the version of PostgreSQL if the file gives none.
const newestPostgres = 18

// postgresPort is the port of PostgreSQL.
const postgresPort = int64(5432)

// home is the directory below which the volumes of PostgreSQL are mounted.
const home = "/plinth"

// postgres returns the objects of a PostgreSQL server of plinth's own. Its image has the entrypoint of
// the official image, which creates the cluster in an empty volume.
//
// https://hub.docker.com/_/postgres
func (p Plan) postgres(env experiment.Environment) []Object {
	m := member{environment: env.Name, role: roleServer, port: postgresPort, portName: "postgres"}
	image := cmp.Or(env.Kubernetes.Image, "docker.io/library/postgres:"+strconv.Itoa(cmp.Or(env.Postgres.Version, newestPostgres)))
	variables := []any{
		Object{"name": "POSTGRES_PASSWORD", "valueFrom": Object{"secretKeyRef": Object{"name": p.name(env.Name, roleServer), "key": passwordKey}}},
		Object{"name": "POSTGRES_HOST_AUTH_METHOD", "value": "scram-sha-256"},
		// The root of a volume may contain lost+found, and initdb needs an empty directory.
		Object{"name": "PGDATA", "value": home + "/data/pgdata"},
	}
	if env.Storage.WAL.There() {
		variables = append(variables, Object{"name": "POSTGRES_INITDB_WALDIR", "value": home + "/wal/pg_wal"})
	}
	// As in CloudNativePG: the 64 MiB that a container has by default are too few for parallel queries.
	m.volumes = []Object{{"name": "shm", "emptyDir": Object{"medium": "Memory"}}}
	mounts := []any{Object{"name": "shm", "mountPath": "/dev/shm"}}
	var spaces, spaceMounts []any // of tablespaces
	for _, part := range env.Storage.Parts() {
		name, path := place(part)
		m.claims = append(m.claims, p.claim(m, name, part.Volume))
		mount := Object{"name": name, "mountPath": path}
		mounts = append(mounts, mount)
		if part.Role != experiment.RoleData && part.Role != experiment.RoleWAL {
			spaces, spaceMounts = append(spaces, path+"/space"), append(spaceMounts, mount)
		}
	}
	m.container = Object{
		"name": "postgres", "image": image, "args": p.postgresArguments(env), "env": variables, "volumeMounts": mounts,
		"startupProbe": startup(Object{"exec": Object{"command": []any{"pg_isready", "--quiet", "--host=127.0.0.1"}}}),
	}
	if r := resources(env.Limits); r != nil {
		m.container["resources"] = r
	}
	if len(spaces) > 0 {
		// CREATE TABLESPACE needs a directory that belongs to the server's user.
		m.init = Object{
			"name": "tablespaces", "image": image, "volumeMounts": spaceMounts,
			"command": append([]any{"install", "-d", "-o", "postgres", "-g", "postgres", "-m", "0700"}, spaces...),
		}
		if r := resources(env.Limits); r != nil {
			m.init["resources"] = r // a pod is guaranteed its resources only if all its containers are
		}
	}
	return append([]Object{p.secret(env.Name, Object{passwordKey: p.Password()})}, p.statefulSet(m)...)
}

// passwordKey is the key of the password in a Secret.
const passwordKey = "password"

// place returns the name of a part's volume, and where it is mounted.
func place(part experiment.Part) (name, path string) {
	switch part.Role {
	case experiment.RoleData, experiment.RoleWAL, experiment.RoleTemp:
		return part.Role, home + "/" + part.Role
	}
	return "space-" + fit(part.Name, longestValue-len("space-")), home + "/tablespaces/" + part.Name
}

// postgresArguments returns the command line of a PostgreSQL server.
func (p Plan) postgresArguments(env experiment.Environment) []any {
	settings := p.settings(env)
	settings["listen_addresses"] = "*"
	if env.Storage.Temp.There() {
		settings["temp_tablespaces"] = tempTablespace
	}
	arguments := []any{"postgres"}
	for _, name := range sorted(settings) {
		arguments = append(arguments, "-c", literal(name+"="+settings[name]))
	}
	return arguments
}
