package figure

import "plinth/internal/figure/window"

// writing are the commands that redis-benchmark's tests write with.
var writing = []string{"set", "incr", "lpush", "rpush", "lpop", "rpop", "sadd", "hset", "spop", "zadd", "mset"}

// redis holds what persistence cost a Redis server, and how busy it was.
func (m *maker) redis() {
	const appended, reading, main = "persistence.aof_bytes", "info.keyspace_", "info.used_cpu_"
	m.put("aof-bytes", m.Of(appended).Mean())
	m.put("aof-bytes-per-write", m.perWrite(appended))
	m.put("aof-rewrites", m.number("persistence.aof_rewrites"))
	m.put("aof-rewrite-time", m.Of("persistence.aof_rewrite_in_progress").Mean())
	m.put("aof-delayed-fsyncs", m.number("info.aof_delayed_fsync"))
	m.put("aof-fsync-time", m.Of("persistence.aof_pending_bio_fsync").Mean())
	m.put("rdb-saves", m.number("persistence.rdb_saves"))
	m.put("rdb-save-time", m.Of("persistence.rdb_bgsave_in_progress").Mean())
	fork, second := m.longestFork()
	m.put("fork-time-worst", fork.Nanoseconds())
	m.put("fork-time-worst-second", second)
	m.peak("cow-peak", "persistence.cow_bytes")
	m.peak("used-memory-peak", "info.used_memory")
	m.peak("rss-peak", "info.used_memory_rss")
	m.put("keyspace-hit", m.Share([]string{reading + "hits"}, []string{reading + "hits", reading + "misses"}))
	m.put("evicted-keys", m.number("info.evicted_keys"))
	m.put("eventloop-busy", m.Of("info.eventloop_duration_sum").Mean())
	m.put("main-thread-cpu", m.Of(main+"sys_main_thread", main+"user_main_thread").Mean())
}

func (m *maker) peak(name, column string) {
	most, _ := m.Of(column).Most()
	m.put(name, most)
}

// number is how often something happened in the window.
func (m *maker) number(column string) window.Number { return count(m.Of(column), len(m.Seconds)) }

// perWrite takes writes from the server's own counts of commands, as a mixed load has
// other operations, too. Commands that were never called have no column.
func (m *maker) perWrite(appended string) window.Number {
	var calls []string
	for _, command := range writing {
		if name := "info.cmdstat_" + command + ".calls"; m.Columns[name] != nil {
			calls = append(calls, name)
		}
	}
	switch {
	case m.Of(appended).Why != "":
		return window.Number{Why: m.Of(appended).Why}
	case calls == nil:
		return window.Number{Why: "the server counted no command that writes"}
	}
	return m.Share([]string{appended}, calls)
}

// longestFork is over the seconds in which the server forked: the time of a fork stays
// until the next one.
func (m *maker) longestFork() (value, second window.Number) {
	const took, forks = "info.latest_fork_usec", "info.total_forks"
	rows, why := m.Known(took, forks)
	s := window.Series{Why: why}
	for _, i := range rows {
		if m.At(forks, i) > 0 {
			s.Seconds, s.Values = append(s.Seconds, m.Seconds[i]), append(s.Values, m.At(took, i))
		}
	}
	if why == "" && len(s.Values) == 0 {
		s.Why = "the server did not fork in the window"
	}
	return s.Most()
}
