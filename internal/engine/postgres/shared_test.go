//go:build linux

package postgres

import (
	"testing"

	"github.com/jackc/pgx/v5"
)

// TestSharedData checks servers that use the same data, one after the other: each has its own settings, and the dataset
// that was loaded once.
func TestSharedData(t *testing.T) {
	t.Parallel()
	for _, programs := range testPrograms(t) {
		config := ownConfig(t, programs)
		config.Environment.Settings = map[string]string{"work_mem": "5MB"}
		first := startOwn(t, config)
		must(t, first.Load(t.Context(), nil))
		_, err := first.Describe(t.Context())
		must(t, err)
		must(t, first.Stop(t.Context()))

		config.Environment.Name, config.RunID, config.Shares = "there", "test2", first
		config.Environment.Settings = map[string]string{"work_mem": "7MB", "commit_delay": "9", "shared_buffers": "64MB"}
		second := startOwn(t, config)
		must(t, second.Load(t.Context(), nil))
		must(t, second.Reset(t.Context(), "vacuum"))
		described, err := second.Describe(t.Context())
		must(t, err)
		if got := described.Settings; got["work_mem"] != "7MB" || got["commit_delay"] != "9" {
			t.Errorf("work_mem %s, commit_delay %s", got["work_mem"], got["commit_delay"])
		}
		if d := described.Dataset; !d.Loaded.Equal(first.loadTime) || d.Rows == 0 || d.SharedBuffers != 64<<20 {
			t.Errorf("the dataset is %+v, want that of %v", described.Dataset, first.loadTime)
		}
		must(t, second.use(t.Context(), "plinth", func(conn *pgx.Conn) error {
			_, err := conn.Exec(t.Context(), "UPDATE pgbench_branches SET bbalance = 4711")
			return err
		}))
		must(t, second.Stop(t.Context()))

		// Back with the first, which finds what the second one wrote, under its own settings.
		must(t, first.Start(t.Context()))
		var balance int
		var delay string
		must(t, first.use(t.Context(), "plinth", func(conn *pgx.Conn) error {
			return conn.QueryRow(t.Context(), "SELECT max(bbalance), current_setting('commit_delay') FROM pgbench_branches").Scan(&balance, &delay)
		}))
		if balance != 4711 || delay != "0" {
			t.Errorf("balance %d, commit_delay %s", balance, delay)
		}
		must(t, first.Stop(t.Context()))
		must(t, second.Start(t.Context()))
		must(t, second.Remove(t.Context()))
	}
}

// TestSharedDataIsThere checks that data is not shared before it is loaded.
func TestSharedDataIsThere(t *testing.T) {
	t.Parallel()
	config := bareConfig(t, oneInstalled(t))
	first, err := NewOwn(config)
	must(t, err)
	config.Shares = first
	second, err := NewOwn(config)
	must(t, err)
	if err := second.Load(t.Context(), nil); err == nil {
		t.Error("a dataset was taken over that is not loaded")
	}
	if err := second.Start(t.Context()); err == nil {
		t.Error("a server was started without its data")
	}
	must(t, second.Remove(t.Context()))
}
