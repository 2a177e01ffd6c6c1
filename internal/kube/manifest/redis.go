package manifest

import (
	"cmp"
	"fmt"

	"plinth/internal/engine/redis/conf"
	"plinth/internal/experiment"
)

// redisPort is the port of Redis and Valkey.
const redisPort = int64(6379)

// redis returns the objects of a Redis or Valkey server of plinth's own, and of its replica. Their image
// has the entrypoint of the official image.
//
// https://hub.docker.com/_/redis
func (p Plan) redis(env experiment.Environment) ([]Object, error) {
	password := p.Password()
	authentication := conf.Directive{"requirepass", password}.String() + "\n" + conf.Directive{"masterauth", password}.String() + "\n"
	objects := []Object{p.secret(env.Name, Object{passwordKey: password, "redis.conf": authentication})}
	set, err := p.redisSet(env, roleServer)
	if err != nil {
		return nil, err
	}
	objects = append(objects, set...)
	if env.Replica.There() {
		set, err := p.redisSet(experiment.ReplicaOf(env), roleReplica, "--replicaof", p.name(env.Name, roleServer), fmt.Sprint(redisPort))
		if err != nil {
			return nil, err
		}
		objects = append(objects, set...)
	}
	return objects, nil
}

// redisSet returns the StatefulSet of one server of an environment, and its Service.
func (p Plan) redisSet(env experiment.Environment, role string, more ...string) ([]Object, error) {
	program, image := "redis-server", "docker.io/library/redis:8"
	if env.Redis.Program == "valkey" {
		program, image = "valkey-server", "docker.io/valkey/valkey:8"
	}
	directives, err := conf.Directives(p.Experiment.SettingsOf(env))
	if err != nil {
		return nil, err
	}
	// The password is in a file, not among the arguments, which other processes of the node can read.
	arguments := []any{program, "/etc/plinth/redis.conf"}
	for _, d := range append(conf.Observing(env.Replica.There()), directives...) {
		arguments = append(arguments, "--"+d[0])
		for _, word := range d[1:] {
			arguments = append(arguments, literal(word))
		}
	}
	arguments = append(arguments, list(more)...)
	m := member{environment: env.Name, role: role, port: redisPort, portName: "redis"}
	m.volumes = []Object{{"name": "authentication", "secret": Object{
		"secretName": p.name(env.Name, roleServer), "items": []any{Object{"key": "redis.conf", "path": "redis.conf"}},
	}}}
	m.claims = []any{p.claim(m, experiment.RoleData, env.Storage.Data)}
	m.container = Object{
		"name": "redis", "image": cmp.Or(env.Kubernetes.Image, image), "args": arguments,
		// The entrypoint starts the server in /data, which it gives to the server's user.
		"volumeMounts": []any{
			Object{"name": experiment.RoleData, "mountPath": "/data"},
			Object{"name": "authentication", "mountPath": "/etc/plinth", "readOnly": true},
		},
		"startupProbe": startup(Object{"tcpSocket": Object{"port": "redis"}}),
	}
	if r := resources(env.Limits); r != nil {
		m.container["resources"] = r
	}
	return p.statefulSet(m), nil
}
