package experiment

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
