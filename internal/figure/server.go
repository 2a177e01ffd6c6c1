package figure

import (
	"math"
	"regexp"
	"strings"
)

// wal holds what commits cost.
func (m *maker) wal() {
	m.put("commit-latency", m.commitLatency())
	m.put("commits-per-flush", m.commitsPerFlush())
	m.put("wal-bytes-per-transaction", m.share([]string{"wal.bytes"}, []string{"tps"}))
	m.put("wal-write-latency", m.latency(timed{"wal.write_latency", "wal.writes"}).nanoseconds())
	sync := timed{"wal.sync_latency", "wal.syncs"}
	m.put("wal-sync-latency", m.latency(sync).nanoseconds())
	worst, second := m.worst(sync)
	m.put("wal-sync-latency-worst", worst.nanoseconds())
	m.put("wal-sync-latency-worst-second", second)
	m.put("wal-sync-time", m.spent(sync).nanoseconds())
}

var commitStatement = regexp.MustCompile(`(?i)^(?:commit|end)(?:\s+(?:work|transaction))?\s*;?$`)

// commitLatency is pgbench's mean of the statement that commits. Scripts count by their transactions.
func (m *maker) commitLatency() number {
	transactions := map[string]float64{"": 1} // by script
	for _, s := range m.in.Run.Result.Scripts {
		transactions[s.Name] = float64(s.Transactions)
	}
	sum, count := 0.0, 0.0
	for _, s := range m.in.Run.Result.Statements {
		if commitStatement.MatchString(strings.TrimSpace(s.Statement)) {
			sum, count = sum+s.Mean*transactions[s.Script], count+transactions[s.Script]
		}
	}
	if count == 0 {
		return number{why: "no script has a separate COMMIT statement"}
	}
	return number{value: sum / count}
}

// commitsPerFlush takes commits from the source of the flushes, less what plinth
// itself asked: from PostgreSQL 15 on sessions tell of both up to a second late, and
// flushes of one second over the load generator's commits of another would mislead
// in a short window.
func (m *maker) commitsPerFlush() number {
	const committed, own, flushes = "pg_stat_database.xact_commit", "plinth.transactions", "wal.syncs"
	rows, why := m.known(committed, own, flushes)
	if why != "" {
		return number{why: why}
	}
	commits, syncs := 0.0, 0.0
	for _, i := range rows {
		commits += m.at(committed, i) - m.at(own, i)
		syncs += m.at(flushes, i)
	}
	if syncs == 0 {
		return number{why: nothing([]string{flushes})}
	}
	return number{value: max(0, commits) / syncs}
}

// rows is the read to write ratio, of rows and of requests to the disks.
func (m *maker) rows() {
	const fetched, changed = "pg_stat_database.tup_fetched", "pg_stat_database.tup_"
	m.put("rows-read-share", m.share([]string{fetched}, []string{fetched, changed + "inserted", changed + "updated", changed + "deleted"}))
	disks, why := m.allDisks()
	if why != "" {
		m.put("disk-read-share", number{why: why})
		return
	}
	m.put("disk-read-share", m.share(of(disks, "reads"), of(disks, "reads", "writes")))
}

// caches holds what of the dataset was found in memory, and how much fits there.
func (m *maker) caches() {
	hits := func(hit, read string) number { return m.share([]string{hit}, []string{hit, read}) }
	const tables = "pg_statio_user_tables."
	m.put("cache-hit", hits("pg_stat_database.blks_hit", "pg_stat_database.blks_read"))
	m.put("heap-hit", hits(tables+"heap_blks_hit", tables+"heap_blks_read"))
	m.put("index-hit", hits(tables+"idx_blks_hit", tables+"idx_blks_read"))
	dataset := m.in.Environment.Dataset
	m.put("dataset-over-shared-buffers", over(dataset.Bytes, dataset.SharedBuffers, "shared_buffers"))
	m.put("dataset-over-memory", over(dataset.Bytes, dataset.Memory, "the machine's memory"))
}

func over(dataset, size int64, of string) number {
	switch {
	case dataset <= 0:
		return number{why: "the size of the dataset is not known"}
	case size <= 0:
		return number{why: "the size of " + of + " is not known"}
	}
	return number{value: float64(dataset) / float64(size)}
}

const cleaned = "buffers_written.bgwriter"

// buffers is who wrote the pages of shared buffers.
func (m *maker) buffers() {
	writers := []string{"buffers_written.checkpointer", cleaned, "buffers_written.backend"}
	m.put("buffers-backend-over-alloc", m.share(writers[2:], []string{"buffers_alloc"}))
	m.put("buffers-alloc", m.of("buffers_alloc").mean())
	m.put("buffers-by-checkpointer", m.share(writers[:1], writers))
	m.put("buffers-by-bgwriter", m.share(writers[1:2], writers))
	m.put("buffers-by-backend", m.share(writers[2:], writers))
	m.put("buffers-clean", m.of(cleaned).mean())
	m.put("buffers-clean-trend", m.of(cleaned).trend())
	m.put("checkpoints", m.of("checkpoints.timed", "checkpoints.requested").count(len(m.seconds)))
	longest := m.largest("no checkpoint that synced a file completed in the window", "checkpoints.sync_longest")
	m.put("checkpoint-sync-max", longest.nanoseconds())
}

// trend is the mean of the last third of the seconds over that of all.
func (s series) trend() number {
	mean, third := s.mean(), len(s.values)/3
	switch {
	case mean.why != "":
		return mean
	case mean.value == 0:
		return number{why: "the background writer wrote nothing in the whole window"}
	case third == 0:
		return number{why: "the window is shorter than 3 seconds"}
	}
	return number{value: total(s.values[len(s.values)-third:]) / float64(third) / mean.value}
}

// count is how often something happened. It takes every second: what is rare may
// have happened in the one that is not known. Rates share an event out among the
// seconds that its two readings lie in, so their sum is nearly a whole number.
func (s series) count(seconds int) number {
	switch {
	case s.why != "":
		return number{why: s.why}
	case len(s.values) < seconds:
		return number{why: "it is not known for every second of the window"}
	}
	return number{value: math.Round(total(s.values))}
}

// replicas is how far they are behind; of several that counts which is furthest. A run
// without a replica has no such figures, and lacks none.
func (m *maker) replicas() {
	confirmed, replayed := m.columnsLike("info.slave", ".offset_lag"), m.columnsLike("replication.", ".replay_lag")
	if columns := append(confirmed, replayed...); len(columns) > 0 {
		lag := m.furthest(columns)
		m.put("replication-lag", lag.mean())
		worst, second := lag.most()
		m.put("replication-lag-worst", worst)
		m.put("replication-lag-worst-second", second)
	}
	if columns := m.columnsLike("info.slave", ".lag"); len(columns) > 0 {
		delay, _ := m.furthest(columns).most()
		m.put("replication-delay-worst", delay.nanoseconds())
	}
}

// furthest is the greatest of several columns in each second. A replica that is not
// there in a second has no lag then, and others may have.
func (m *maker) furthest(columns []string) series {
	s := series{}
	for i, second := range m.seconds {
		most := math.NaN()
		for _, column := range columns {
			if v := m.at(column, i); !math.IsNaN(v) && !(v <= most) {
				most = v
			}
		}
		if !math.IsNaN(most) {
			s.seconds, s.values = append(s.seconds, second), append(s.values, most)
		}
	}
	s.why = m.tooFew(len(s.values), columns)
	return s
}
