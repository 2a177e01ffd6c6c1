package figure

import (
	"math"
	"regexp"
	"strings"

	"plinth/internal/figure/window"
)

// wal holds what commits cost.
func (m *maker) wal() {
	m.put("commit-latency", m.commitLatency())
	m.put("commits-per-flush", m.commitsPerFlush())
	m.put("wal-bytes-per-transaction", m.Share([]string{"wal.bytes"}, []string{"tps"}))
	m.put("wal-write-latency", m.Latency(window.Timed{Latency: "wal.write_latency", Rate: "wal.writes"}).Nanoseconds())
	sync := window.Timed{Latency: "wal.sync_latency", Rate: "wal.syncs"}
	m.put("wal-sync-latency", m.Latency(sync).Nanoseconds())
	worst, second := m.Worst(sync)
	m.put("wal-sync-latency-worst", worst.Nanoseconds())
	m.put("wal-sync-latency-worst-second", second)
	m.put("wal-sync-time", m.Spent(sync).Nanoseconds())
}

var commitStatement = regexp.MustCompile(`(?i)^(?:commit|end)(?:\s+(?:work|transaction))?\s*;?$`)

// commitLatency is pgbench's mean of the statement that commits. Scripts count by their transactions.
func (m *maker) commitLatency() window.Number {
	shares, sum, count := m.in.Run.Result.ScriptShares(), 0.0, 0.0
	for _, s := range m.in.Run.Result.Statements {
		if commitStatement.MatchString(strings.TrimSpace(s.Statement)) {
			sum, count = sum+s.Mean*shares[s.Script], count+shares[s.Script]
		}
	}
	if count == 0 {
		return window.Number{Why: "no script has a separate COMMIT statement"}
	}
	return window.Number{Value: sum / count}
}

// commitsPerFlush takes commits from the source of the flushes, less what plinth
// itself asked: from PostgreSQL 15 on sessions tell of both up to a second late, and
// flushes of one second over the load generator's commits of another would mislead
// in a short window.
func (m *maker) commitsPerFlush() window.Number {
	const committed, own, flushes = "pg_stat_database.xact_commit", "plinth.transactions", "wal.syncs"
	rows, why := m.Known(committed, own, flushes)
	if why != "" {
		return window.Number{Why: why}
	}
	commits, syncs := 0.0, 0.0
	for _, i := range rows {
		commits += m.At(committed, i) - m.At(own, i)
		syncs += m.At(flushes, i)
	}
	if syncs == 0 {
		return window.Number{Why: window.Nothing([]string{flushes})}
	}
	return window.Number{Value: max(0, commits) / syncs}
}

// rows is the read to write ratio, of rows and of requests to the disks.
func (m *maker) rows() {
	const fetched, changed = "pg_stat_database.tup_fetched", "pg_stat_database.tup_"
	m.put("rows-read-share", m.Share([]string{fetched}, []string{fetched, changed + "inserted", changed + "updated", changed + "deleted"}))
	disks, why := m.allDisks()
	if why != "" {
		m.put("disk-read-share", window.Number{Why: why})
		return
	}
	m.put("disk-read-share", m.Share(of(disks, "reads"), of(disks, "reads", "writes")))
}

// caches holds what of the dataset was found in memory, and how much fits there.
func (m *maker) caches() {
	hits := func(hit, read string) window.Number { return m.Share([]string{hit}, []string{hit, read}) }
	const tables = "pg_statio_user_tables."
	m.put("cache-hit", hits("pg_stat_database.blks_hit", "pg_stat_database.blks_read"))
	m.put("heap-hit", hits(tables+"heap_blks_hit", tables+"heap_blks_read"))
	m.put("index-hit", hits(tables+"idx_blks_hit", tables+"idx_blks_read"))
	dataset := m.in.Environment.Dataset
	m.put("dataset-over-shared-buffers", over(dataset.Bytes, dataset.SharedBuffers, "shared_buffers"))
	m.put("dataset-over-memory", over(dataset.Bytes, dataset.Memory, "the machine's memory"))
}

func over(dataset, size int64, of string) window.Number {
	switch {
	case dataset <= 0:
		return window.Number{Why: "the size of the dataset is not known"}
	case size <= 0:
		return window.Number{Why: "the size of " + of + " is not known"}
	}
	return window.Number{Value: float64(dataset) / float64(size)}
}

const cleaned = "buffers_written.bgwriter"

// buffers is who wrote the pages of shared buffers.
func (m *maker) buffers() {
	writers := []string{"buffers_written.checkpointer", cleaned, "buffers_written.backend"}
	share := m.Share
	if m.backendsUnreported() {
		share = func(_, _ []string) window.Number {
			return window.Number{Why: "PostgreSQL 15 and earlier have what backends wrote only once the checkpointer wakes up, and it slept in the whole window"}
		}
	}
	m.put("buffers-backend-over-alloc", share(writers[2:], []string{"buffers_alloc"}))
	m.put("buffers-alloc", m.Of("buffers_alloc").Mean())
	m.put("buffers-by-checkpointer", share(writers[:1], writers))
	m.put("buffers-by-bgwriter", share(writers[1:2], writers))
	m.put("buffers-by-backend", share(writers[2:], writers))
	m.put("buffers-clean", m.Of(cleaned).Mean())
	m.put("buffers-clean-trend", trend(m.Of(cleaned)))
	m.put("checkpoints", count(m.Of("checkpoints.timed", "checkpoints.requested"), len(m.Seconds)))
	longest := m.Largest("no checkpoint that synced a file completed in the window", "checkpoints.sync_longest")
	m.put("checkpoint-sync-max", longest.Nanoseconds())
}

// backendsUnreported reports whether the counter of the buffers that backends wrote stood still because of the
// checkpointer, which adds to it when it wakes up (AbsorbSyncRequests, up to PostgreSQL 15): for a checkpoint, or
// because backends have filled half of its queue. It is awake while it writes buffers. If it wakes up within the window, the
// counter can still lack what backends wrote after that.
func (m *maker) backendsUnreported() bool {
	version, written := m.in.Environment.VersionN, m.Of("buffers_written.checkpointer", "buffers_written.backend")
	return version > 0 && version < 160000 && written.Why == "" && window.Total(written.Values) == 0
}

// trend is the mean of the last third of the seconds over that of all.
func trend(s window.Series) window.Number {
	mean, third := s.Mean(), len(s.Values)/3
	switch {
	case mean.Why != "":
		return mean
	case mean.Value == 0:
		return window.Number{Why: "the background writer wrote nothing in the whole window"}
	case third == 0:
		return window.Number{Why: "the window is shorter than 3 seconds"}
	}
	return window.Number{Value: window.Total(s.Values[len(s.Values)-third:]) / float64(third) / mean.Value}
}

// count is how often something happened. It takes every second: what is rare may
// have happened in the one that is not known. Rates share an event out among the
// seconds that its two readings lie in, so their sum is nearly a whole number.
func count(s window.Series, seconds int) window.Number {
	switch {
	case s.Why != "":
		return window.Number{Why: s.Why}
	case len(s.Values) < seconds:
		return window.Number{Why: "it is not known for every second of the window"}
	}
	return window.Number{Value: math.Round(window.Total(s.Values))}
}

// replicas is how far they are behind; of several that counts which is furthest. A run
// without a replica has no such figures, and lacks none.
func (m *maker) replicas() {
	confirmed, replayed := m.ColumnsLike("info.slave", ".offset_lag"), m.ColumnsLike("replication.", ".replay_lag")
	if columns := append(confirmed, replayed...); len(columns) > 0 {
		lag := m.furthest(columns)
		m.put("replication-lag", lag.Mean())
		worst, second := lag.Most()
		m.put("replication-lag-worst", worst)
		m.put("replication-lag-worst-second", second)
	}
	if columns := m.ColumnsLike("info.slave", ".lag"); len(columns) > 0 {
		delay, _ := m.furthest(columns).Most()
		m.put("replication-delay-worst", delay.Nanoseconds())
	}
}

// furthest is the greatest of several columns in each second. A replica that is not
// there in a second has no lag then, and others may have.
func (m *maker) furthest(columns []string) window.Series {
	s := window.Series{}
	for i, second := range m.Seconds {
		most := math.NaN()
		for _, column := range columns {
			if v := m.At(column, i); !math.IsNaN(v) && !(v <= most) {
				most = v
			}
		}
		if !math.IsNaN(most) {
			s.Seconds, s.Values = append(s.Seconds, second), append(s.Values, most)
		}
	}
	s.Why = m.TooFew(len(s.Values), columns)
	return s
}
