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

// ownSettings is the settings by which plinth keeps a server of its own apart
// from all others and can read what it says, with the reason.
var ownSettings = map[string]string{
	"data_directory": whereItIs, "config_file": whereItIs, "hba_file": whereItIs, "ident_file": whereItIs,
	"external_pid_file": whereItIs, "include": whereItIs, "include_dir": whereItIs, "include_if_exists": whereItIs,

	"listen_addresses": howReached, "port": howReached, "unix_socket_directories": howReached,
	"unix_socket_group": howReached, "unix_socket_permissions": howReached,

	"cluster_name": "plinth names the servers that it makes",

	"lc_messages": whatItSays, "log_destination": whatItSays, "logging_collector": whatItSays, "log_directory": whatItSays, "log_filename": whatItSays,
}

const (
	whereItIs  = "where a server keeps its files is plinth's to say; storage names the directories"
	howReached = "a server of plinth's own is reached through a private socket, so that nobody else uses it"
	whatItSays = "plinth reads the server's messages to say why something failed"
)

// settingRules are what settings of each engine may be called, and those that are
// plinth's own.
var settingRules = map[string]struct {
	name *regexp.Regexp
	own  map[string]string
}{
	// A setting's name, or an extension's with a dot.
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
			notes.Add(place, "", "%s: %s is there twice; case does not count", where, lower)
		}
		spelled[lower] = true
	}
}

// Setting says what is wrong with declaring a setting for a server of
// plinth's own. The server alone knows whether there is one of this name.
func Setting(engine, name, value string) error {
	rules := settingRules[engine]
	switch reason, own := rules.own[strings.ToLower(name)]; {
	case !rules.name.MatchString(name):
		return fmt.Errorf("%s can't be the name of a setting", strictyaml.Quote(name))
	case own:
		return hint.Errorf(reason, "%s is set by plinth itself", name)
	case hasControl(value):
		return fmt.Errorf("a line break or control character in the value of %s", name)
	case holdsPassword(name, value):
		return hint.Errorf("leave it out", "%s holds a password, and settings are recorded", name)
	}
	return nil
}

// inFileOrder is the names of settings as they stand in the file.
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

// ownRedisSettings is ownSettings of Redis and Valkey: names of redis.conf, with
// the reason. requirepass and those like it would be secrets in a record, too.
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

	"cluster-enabled": "a cluster is several servers; plinth measures one, and its replica",
	"loadmodule":      "a module can do anything; load it into a server of your own, and connect to that one",

	"daemonize": howStarted, "supervised": howStarted,

	"logfile": whatItSays, "loglevel": whatItSays, "syslog-enabled": whatItSays, "syslog-ident": whatItSays,
	"syslog-facility": whatItSays, "hide-user-data-from-log": whatItSays, "log-format": whatItSays, "log-timestamp-format": whatItSays,
}

const (
	whoMayUse  = "a server of plinth's own is used by plinth alone"
	whoFollows = "replica in an environment makes a server that follows it"
	howStarted = "plinth starts the server itself, and ends it"
)
