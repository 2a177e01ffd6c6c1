package check

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"plinth/internal/conninfo"
	"plinth/internal/experiment"
	"plinth/internal/experiment/mistake"
	"plinth/internal/hint"
	"plinth/internal/strictyaml"
)

// ownSettings maps the settings that plinth controls, to isolate its servers and to read their
// messages, to the hint for users who set them.
var ownSettings = map[string]string{
	"data_directory": whereItIs, "config_file": whereItIs, "hba_file": whereItIs, "ident_file": whereItIs,
	"external_pid_file": whereItIs, "include": whereItIs, "include_dir": whereItIs, "include_if_exists": whereItIs,

	"listen_addresses": howReached, "port": howReached, "unix_socket_directories": howReached,
	"unix_socket_group": howReached, "unix_socket_permissions": howReached,

	"cluster_name": "leave it out: plinth names the servers that it creates",

	"lc_messages": whatItSays, "log_destination": whatItSays, "logging_collector": whatItSays, "log_directory": whatItSays, "log_filename": whatItSays,
}

const (
	whereItIs  = "leave it out: plinth places the server's files in the directories that storage gives"
	howReached = "leave it out: plinth connects to its servers through private sockets, so no other client uses them"
	whatItSays = "leave it out: plinth reads the server's messages to report why something failed"
)

// settingRules holds, by engine, the valid names of settings and the settings that plinth controls.
var settingRules = map[string]struct {
	name *regexp.Regexp
	own  map[string]string
}{
	// The name of a setting, with a dot for one of an extension.
	experiment.EnginePostgres: {regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_$]*(\.[A-Za-z_][A-Za-z0-9_$]*)*$`), ownSettings},
	experiment.EngineRedis:    {regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]*(\.[A-Za-z0-9-]+)?$`), ownRedisSettings},
}

func settings(notes *mistake.Notes, e *experiment.Experiment) {
	settingsIn(notes, e, &e.Settings, "settings")
	for i := range e.Environments {
		env := &e.Environments[i]
		settingsIn(notes, e, &env.Settings, "environments."+strictyaml.Bare(env.Name)+".settings")
	}
}

func settingsIn(notes *mistake.Notes, e *experiment.Experiment, settings *map[string]string, where string) {
	spelled := map[string]bool{}
	for _, name := range inFileOrder(notes, settings) {
		place := notes.Places[mistake.Setting{Of: settings, Name: name}]
		lower := strings.ToLower(name)
		if err := Setting(e.Engine, name, (*settings)[name]); err != nil {
			notes.Add(place, hint.Of(err), "%s: %v", where, err)
		} else if spelled[lower] {
			notes.Add(place, "", "%s: %s is given twice; case is ignored", where, lower)
		}
		spelled[lower] = true
	}
}

// Setting returns an error if a file may not declare a setting for a server that plinth creates.
// Only the server knows whether a setting of this name exists.
func Setting(engine, name, value string) error {
	rules := settingRules[engine]
	switch reason, own := rules.own[strings.ToLower(name)]; {
	case !rules.name.MatchString(name):
		return fmt.Errorf("%s cannot be the name of a setting", strictyaml.Quote(name))
	case own:
		return hint.Errorf(reason, "%s is set by plinth itself", name)
	case hasControl(value):
		return fmt.Errorf("a line break or control character in the value of %s", name)
	case holdsPassword(name, value):
		return hint.Errorf("leave it out", "%s holds a password, and settings are recorded", name)
	}
	return nil
}

// inFileOrder returns the names of settings in the order of the file.
func inFileOrder(notes *mistake.Notes, settings *map[string]string) []string {
	return slices.SortedFunc(maps.Keys(*settings), func(a, b string) int {
		lines := cmp.Compare(notes.Places[mistake.Setting{Of: settings, Name: a}].Line, notes.Places[mistake.Setting{Of: settings, Name: b}].Line)
		return cmp.Or(lines, strings.Compare(a, b))
	})
}

func holdsPassword(name, value string) bool {
	return conninfo.HoldsPassword(value) ||
		strings.HasSuffix(strings.ToLower(name), "password") && value != ""
}

// ownRedisSettings is ownSettings for Redis and Valkey, with the names of redis.conf. requirepass and
// similar ones would also put secrets into a record.
//
// https://redis.io/docs/latest/operate/oss_and_stack/management/config-file/
var ownRedisSettings = map[string]string{
	"dir": whereItIs, "dbfilename": whereItIs, "appendfilename": whereItIs, "appenddirname": whereItIs,
	"include": whereItIs, "aclfile": whereItIs, "pidfile": whereItIs,

	"port": howReached, "bind": howReached, "bind-source-addr": howReached, "protected-mode": howReached,
	"unixsocket": howReached, "unixsocketperm": howReached, "unixsocketgroup": howReached,
	"tls-port": howReached, "rdma-port": howReached, "rdma-bind": howReached,

	"user": whoMayUse, "requirepass": whoMayUse, "acl-pubsub-default": whoMayUse, "rename-command": whoMayUse,

	"replicaof": whoFollows, "slaveof": whoFollows, "masterauth": whoFollows, "masteruser": whoFollows,
	"primaryauth": whoFollows, "primaryuser": whoFollows,

	"cluster-enabled": "leave it out: plinth measures one server and its replica, not a cluster",
	"loadmodule":      "leave it out: a module can run any code; load the module into a server of your own, and use connect",

	"daemonize": howStarted, "supervised": howStarted,

	"logfile": whatItSays, "loglevel": whatItSays, "syslog-enabled": whatItSays, "syslog-ident": whatItSays,
	"syslog-facility": whatItSays, "hide-user-data-from-log": whatItSays, "log-format": whatItSays, "log-timestamp-format": whatItSays,
}

const (
	whoMayUse  = "leave it out: only plinth uses the servers that it creates"
	whoFollows = "leave it out: to create a replica, add replica to the environment"
	howStarted = "leave it out: plinth starts and stops the server itself"
)
