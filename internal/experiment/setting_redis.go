package experiment

// ownRedisSettings is ownSettings of Redis: names of redis.conf, with the reason.
var ownRedisSettings = map[string]string{
	"dir": whereItIs, "include": whereItIs, "dbfilename": whereItIs, "appendfilename": whereItIs, "appenddirname": whereItIs, "aclfile": whereItIs,
	"port": howReached, "bind": howReached, "unixsocket": howReached, "unixsocketperm": howReached, "tls-port": howReached,
	"logfile": whatItSays, "syslog-enabled": whatItSays,
}
