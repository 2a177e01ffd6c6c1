package examine

import (
	"testing"
	"time"
)

func TestLastSave(t *testing.T) {
	started := time.Unix(1_780_000_000, 0).UTC()
	for _, c := range []struct {
		name  string
		info  map[string]string
		want  time.Time
		known bool
	}{
		{"not reported", nil, time.Time{}, false},
		{"of the start", map[string]string{"rdb_last_save_time": "1780000001"}, time.Time{}, true},
		{"of the start, with the count", map[string]string{"rdb_last_save_time": "1780000000", "rdb_saves": "0"}, time.Time{}, true},
		{"at once", map[string]string{"rdb_last_save_time": "1780000002", "rdb_saves": "1"}, started.Add(2 * time.Second), true},
		{"later", map[string]string{"rdb_last_save_time": "1780003600", "rdb_saves": "0"}, started.Add(time.Hour), true},
	} {
		f := Facts{Started: started, Info: c.info}
		if at, known := f.LastSave(); !at.Equal(c.want) || known != c.known {
			t.Errorf("%s: %v, %v", c.name, at, known)
		}
	}
}
