package inspect

import (
	"slices"
	"strconv"
	"strings"

	redisclient "plinth/internal/engine/redis/client"
)

// Accessors for the rules of Redis.

// config returns a setting of the Redis server; false if unknown.
func (in *Input) config(name string) (string, bool) { return in.Redis.Setting(name) }

// configured reports whether a setting is known to have a value.
func (in *Input) configured(name, value string) bool {
	have, known := in.config(name)
	return known && have == value
}

// number returns a number of INFO; 0 if it is missing.
func (in *Input) number(name string) int64 {
	n, _ := strconv.ParseInt(in.Redis.Info[name], 10, 64)
	return n
}

// persists reports whether the server writes anything to a disk.
func (in *Input) persists() bool {
	aof, save, _ := in.Redis.Persists()
	return aof || save != ""
}

// configSet returns the command that changes a setting at run time, and persistently.
func configSet(name, value string) string {
	if value == "" || strings.Contains(value, " ") {
		value = `"` + value + `"`
	}
	return "CONFIG SET " + name + " " + value + "; CONFIG REWRITE"
}

// https://redis.io/docs/latest/operate/oss_and_stack/management/security/
// https://redis.io/docs/latest/develop/reference/clients/
var redisAccessRules = []rule{
	{
		name: "redis-open", weight: 93, about: ofRedis, check: open,
		production: "any client that reaches the server can read, change and delete everything, and write files with the server's permissions",
		benchmark:  "other clients may use the server while it is measured",
		do:         "bind the server to the addresses that clients use, and set requirepass or ACL users",
	},
	{
		name: "redis-version", weight: 73, about: ofRedis, check: oldRedis,
		benchmark:  "later versions differ in the most expensive parts: I/O threads, the multi-part append-only file, forks",
		production: "security holes found since the last release remain open, unless the packager fixes them",
		do:         "plan the upgrade: add a replica of the new version, then promote it",
	},
	{
		name: "redis-clients", weight: 51, about: ofRedis, check: redisClients,
		benchmark:  "a load with more clients is refused",
		production: "connections are refused at the next peak",
		do:         "find the clients that do not close their connections (CLIENT LIST), or raise maxclients",
	},
	{
		name: "redis-maxclients", weight: 39, about: underIt, check: maxclientsLowered,
		benchmark:  "a load with more clients is refused",
		production: "connections are refused at the next peak",
		do:         "set LimitNOFILE=65536 in the unit, then " + restartServer,
	},
	{
		name: "redis-backlog", weight: 25, about: underIt, check: listenBacklog,
		benchmark:  "many clients that connect at once (connect: each) wait for a second or more",
		production: "the same after an interruption, when all clients reconnect",
		do:         "sysctl -w net.core.somaxconn={}, then " + restartServer + "; to keep it across reboots, add it to /etc/sysctl.d",
	},
}

// open finds a server that others can reach: protected mode restricts access to loopback only if
// the default user needs no password.
func open(in *Input) evidence {
	bind, known := in.config("bind")
	port, _ := in.config("port")
	tls, _ := in.config("tls-port")
	listens := port != "0" || tls != "0" && tls != ""
	if !known || in.Redis.Open == nil || !*in.Redis.Open || !in.configured("protected-mode", "no") || !listens || onlyLoopback(bind) {
		return nothing
	}
	if bind == "" {
		bind = "*"
	}
	return found("any client may log in without a password (bind %s, protected-mode no)", bind)
}

// onlyLoopback reports whether all addresses are loopback addresses; a leading minus marks those
// that may be missing.
func onlyLoopback(bind string) bool {
	addresses := strings.Fields(bind)
	return len(addresses) > 0 && !slices.ContainsFunc(addresses, func(a string) bool {
		a = strings.TrimPrefix(a, "-")
		return !strings.HasPrefix(a, "127.") && a != "::1" && a != "localhost"
	})
}

// oldRedis finds release lines without a release for years: before 6.2, and 7.0 (7.0.15 was the
// last, in January 2024; https://github.com/redis/redis/releases).
func oldRedis(in *Input) evidence {
	version := in.Redis.VersionN
	if in.Redis.Program != redisclient.Redis || version == 0 || version >= 70200 || version >= 60200 && version < 70000 {
		return nothing
	}
	return found("the release line of Redis %s has had no release for years", in.Redis.Version)
}

func redisClients(in *Input) evidence {
	most, known := in.Redis.Number("maxclients")
	used := in.number("connected_clients")
	if !known || most == 0 || float64(used) < 0.85*most {
		return nothing
	}
	return found("%d clients are connected, of at most %.0f (maxclients)", used, most)
}

// Redis reserves reservedFiles files for itself, and lowers the default of maxclients to what the
// limit on open files leaves (adjustOpenFilesLimit in src/server.c).
const (
	reservedFiles     = 32
	defaultMaxclients = 10_000
)

func maxclientsLowered(in *Input) evidence {
	most, known := in.Redis.Number("maxclients")
	if !known || in.Files == 0 || most >= defaultMaxclients || in.Files > int64(most)+reservedFiles {
		return nothing
	}
	return found("maxclients is %.0f, because the server may open only %d files", most, in.Files)
}

func listenBacklog(in *Input) evidence {
	wanted, known := in.Redis.Number("tcp-backlog")
	most, knownToo := in.sysctl("net.core.somaxconn")
	if port, _ := in.config("port"); !known || !knownToo || port == "0" || wanted <= float64(most) {
		return nothing
	}
	text, _ := in.config("tcp-backlog")
	return found("tcp-backlog is %s, but the kernel allows %d (net.core.somaxconn)", text, most).on(text)
}
