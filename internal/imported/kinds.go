package imported

import (
	"slices"

	"plinth/internal/capture"
	"plinth/internal/capture/cloudwatch"
	"plinth/internal/capture/fio"
	"plinth/internal/capture/pgbench"
	"plinth/internal/capture/postgres"
	"plinth/internal/capture/proc"
	"plinth/internal/capture/procps"
	"plinth/internal/capture/redis"
	"plinth/internal/capture/results"
	"plinth/internal/capture/sysbench"
	"plinth/internal/capture/sysstat"
)

// isLog reports whether a kind is a log of one thread of pgbench.
func isLog(kind string) bool { return kind == "pgbench-log" || kind == "pgbench-aggregate" }

// Kinds returns all kinds of text that can be read, in the order in which they are looked for.
func Kinds() []capture.Kind {
	return slices.Concat(pgbench.Kinds(), fio.Kinds(), redis.Kinds(), sysbench.Kinds(), sysstat.Kinds(), procps.Kinds(), proc.Kinds(), postgres.Kinds(), cloudwatch.Kinds(), results.Kinds())
}
