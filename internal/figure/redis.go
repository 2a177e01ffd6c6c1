package figure

// writing are the commands that redis-benchmark's tests write with.
var writing = []string{"set", "incr", "lpush", "rpush", "lpop", "rpop", "sadd", "hset", "spop", "zadd", "mset"}

// redis holds what persistence cost a Redis server, and how busy it was.
func (m *maker) redis() {
	const appended, reading, main = "persistence.aof_bytes", "info.keyspace_", "info.used_cpu_"
	m.put("aof-bytes", m.of(appended).mean())
	m.put("aof-bytes-per-write", m.perWrite(appended))
	m.put("aof-rewrites", m.number("persistence.aof_rewrites"))
	m.put("aof-rewrite-time", m.of("persistence.aof_rewrite_in_progress").mean())
	m.put("aof-delayed-fsyncs", m.number("info.aof_delayed_fsync"))
	m.put("aof-fsync-time", m.of("persistence.aof_pending_bio_fsync").mean())
	m.put("rdb-saves", m.number("persistence.rdb_saves"))
	m.put("rdb-save-time", m.of("persistence.rdb_bgsave_in_progress").mean())
	fork, second := m.longestFork()
	m.put("fork-time-worst", fork.nanoseconds())
	m.put("fork-time-worst-second", second)
	m.peak("cow-peak", "persistence.cow_bytes")
	m.peak("used-memory-peak", "info.used_memory")
	m.peak("rss-peak", "info.used_memory_rss")
	m.put("keyspace-hit", m.share([]string{reading + "hits"}, []string{reading + "hits", reading + "misses"}))
	m.put("evicted-keys", m.number("info.evicted_keys"))
	m.put("eventloop-busy", m.of("info.eventloop_duration_sum").mean())
	m.put("main-thread-cpu", m.of(main+"sys_main_thread", main+"user_main_thread").mean())
}

func (m *maker) peak(name, column string) {
	most, _ := m.of(column).most()
	m.put(name, most)
}

// number is how often something happened in the window.
func (m *maker) number(column string) number { return m.of(column).count(len(m.seconds)) }

// perWrite takes writes from the server's own counts of commands, as a mixed load has
// other operations, too. Commands that were never called have no column.
func (m *maker) perWrite(appended string) number {
	var calls []string
	for _, command := range writing {
		if name := "info.cmdstat_" + command + ".calls"; m.columns[name] != nil {
			calls = append(calls, name)
		}
	}
	switch {
	case m.of(appended).why != "":
		return number{why: m.of(appended).why}
	case calls == nil:
		return number{why: "the server counted no command that writes"}
	}
	return m.share([]string{appended}, calls)
}

// longestFork is over the seconds in which the server forked: the time of a fork stays
// until the next one.
func (m *maker) longestFork() (value, second number) {
	const took, forks = "info.latest_fork_usec", "info.total_forks"
	rows, why := m.known(took, forks)
	s := series{why: why}
	for _, i := range rows {
		if m.at(forks, i) > 0 {
			s.seconds, s.values = append(s.seconds, m.seconds[i]), append(s.values, m.at(took, i))
		}
	}
	if why == "" && len(s.values) == 0 {
		s.why = "the server did not fork in the window"
	}
	return s.most()
}
