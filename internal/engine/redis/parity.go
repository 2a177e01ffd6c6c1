package redis

import (
	"regexp"

	"plinth/internal/engine"
	"plinth/internal/record"
)

// Parity names what differs between two environments without having been asked for,
// one note for each kind of difference: each weakens their comparison. Persistence,
// which costs the most, has a note of its own.
func (Kind) Parity(baseline, other record.Environment) []record.Note {
	return parity.Notes(baseline, other)
}

var parity = engine.Parity{
	Unequal: unequal,
	Families: []engine.Family{
		{Rule: "parity-persistence", About: "persistence", Names: regexp.MustCompile(
			`^(save|appendonly|appendfsync|no-appendfsync-on-rewrite|auto-aof-.*|aof-.*|rdb.*|stop-writes-on-bgsave-error)$`)},
		{Rule: "parity-memory", About: "memory", Names: regexp.MustCompile(`^maxmemory.*$`)},
	},
	Noise:   noise,
	Request: "a PING",
}

// noise is by how many bytes used_memory differs by itself: what a server allocates
// once, and keeps for later.
const noise = 256 << 10

// unequal are the settings that differ by nature, or say nothing about speed: names,
// places, how a server is reached, who follows whom.
var unequal = regexp.MustCompile(`^(dir|dbfilename|appendfilename|appenddirname|pidfile|logfile|loglevel|syslog-.*|crash-log-enabled` +
	`|port|bind|bind-source-addr|protected-mode|unixsocket.*|tls-.*|tcp-backlog|rdma-.*|supervised|daemonize|proc-title-template|set-proc-title` +
	`|(slave|replica)of|(slave|replica)-(announce|priority|serve|read-only).*|replica-announced|repl-diskless-sync-delay|cluster-.*|acl.*)$`)
