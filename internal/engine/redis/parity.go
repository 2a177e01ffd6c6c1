package redis

import (
	"regexp"

	"plinth/internal/engine"
	"plinth/internal/record"
)

// Parity returns the undeclared differences between two environments, one note for each kind:
// each weakens their comparison. Persistence, which costs the most, has a separate note.
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

// noise is by how many bytes used_memory varies on its own: the server allocates some memory
// once, and keeps it.
const noise = 256 << 10

// unequal matches the settings that differ by nature, or do not affect speed: names, places, how
// a server is reached, which server follows which.
var unequal = regexp.MustCompile(`^(dir|dbfilename|appendfilename|appenddirname|pidfile|logfile|loglevel|syslog-.*|crash-log-enabled` +
	`|port|bind|bind-source-addr|protected-mode|unixsocket.*|tls-.*|tcp-backlog|rdma-.*|supervised|daemonize|proc-title-template|set-proc-title` +
	`|(slave|replica)of|(slave|replica)-(announce|priority|serve|read-only).*|replica-announced|repl-diskless-sync-delay|cluster-.*|acl.*)$`)
