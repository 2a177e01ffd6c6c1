package trial

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"plinth/internal/engine/postgres/relation"
	"plinth/internal/engine/postgres/relation/relationtest"
	"plinth/internal/host/launch"
)

func TestMain(m *testing.M) {
	launch.GuardMain()
	os.Exit(m.Run())
}

// TestServer checks that a server takes the statements of a copy: that of the published platform's
// statistics, at a size that takes no time.
func TestServer(t *testing.T) {
	t.Parallel()
	var readings []relation.Reading
	for _, name := range []string{"platform-1.json", "platform-2.json"} {
		l, err := relation.Load("../../../docs/readings/" + name)
		must(t, err)
		readings = append(readings, l)
	}
	rates, err := relation.Between(readings[0], readings[1])
	must(t, err)
	for i := range rates.Relations {
		r := &rates.Relations[i]
		if r.Kind != relation.Index {
			r.Updated, r.Deleted, r.SeqScans = r.Updated+1, r.Deleted+1, r.SeqScans+1
		}
	}
	rates.TempBytes = 1e6
	s := shapeOf(rates)
	for i := range s.tables {
		s.tables[i].rows = min(s.tables[i].rows, 2000)
		s.tables[i].blocks = min(s.tables[i].blocks, 20)
	}
	scripts, _ := s.scripts()
	p := relationtest.Programs(t)[0]
	server := relationtest.Start(t, p)
	for _, o := range s.objects() {
		server.Exec(t, fmt.Sprintf("ALTER DATABASE postgres SET layout.%s = 'pg_default'", o.label))
	}
	server.Exec(t, s.create())
	dir := t.TempDir()
	for _, one := range scripts {
		path := filepath.Join(dir, one.name)
		must(t, os.WriteFile(path, []byte(one.sql+"\n"), 0o600))
		out, err := exec.CommandContext(context.Background(), "pgbench", "-n", "-t", "3", "-f", path, string(server.Conninfo)).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "transactions actually processed: 3/3") {
			t.Errorf("%s: %v\n%s\n%s", one.name, err, out, one.sql)
		}
	}
	reading := server.Reading(t)
	rows := map[string]float64{}
	for _, r := range reading.Relations {
		rows[r.Name.Name] = float64(r.Inserted)
	}
	if rows["articles"] < 2000 || rows["analytics_events"] < 2000 {
		t.Errorf("rows: %v", rows)
	}
}
