package figure

import "math"

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
