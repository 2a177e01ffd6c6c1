package redis

import "plinth/internal/engine"

// The variables in which programs that plinth starts find a server. redis-cli knows
// REDISCLI_AUTH alone, and none for where a server is: an event's command has to
// name it, as in [sh, -c, 'redis-cli -s "$PLINTH_REDIS_SOCKET" INFO'].
const (
	passwordVariable = "PLINTH_REDIS_PASSWORD" // for plinth's load generator
	cliPassword      = "REDISCLI_AUTH"         // for redis-cli
	socketVariable   = "PLINTH_REDIS_SOCKET"   // the path of a Unix socket
	hostVariable     = "PLINTH_REDIS_HOST"
	portVariable     = "PLINTH_REDIS_PORT"
	userVariable     = "PLINTH_REDIS_USER"
	databaseVariable = "PLINTH_REDIS_DB"
)

// environ is plinth's own environment without what leads to servers, in the
// language that plinth reads, and with more.
func environ(more ...string) []string {
	return append(engine.Environ("REDISCLI_", "VALKEYCLI_", "PLINTH_REDIS_"), more...)
}
