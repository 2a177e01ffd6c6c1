package validity

import (
	"math"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

var serverTrials = []trial{
	{"restarted", func(c *Case) { c.Run.Evidence.Server.Restarted = true }, "server-restarted!", ""},
	{"no checkpoint", func(c *Case) {
		c.Run.Evidence.Server.Counts = postgresCounts(0, 0, 0)
		c.Environment.Settings = map[string]string{"checkpoint_timeout": "5min"}
	}, "no-checkpoint-in-load", "no checkpoint ran during the load (checkpoint_timeout is 5min)"},
	{"a timed checkpoint", func(c *Case) { c.Run.Evidence.Server.Counts = postgresCounts(1, 0, 0) }, "", ""},
	{"no checkpoint of reads", func(c *Case) {
		c.Run.Workload, c.Run.Evidence.Server.Counts = "select-only", postgresCounts(0, 0, 0)
	}, "", ""},
	{"a counter that is none", func(c *Case) { c.Run.Evidence.Server.Counts = postgresCounts(0, -1, -1) }, "", ""},
	{"free buffers that run out", freeBuffers("tpcb-like", 60, func(s int) float64 { return max(0, 0.125-0.01*float64(s)) }), "buffers-free",
		"12.5 % of shared_buffers were still free when the measurement began, until second 13: before,"},
	{"free buffers at the end", freeBuffers("tpcb-like", 60, func(s int) float64 { return 0.75 - 0.01*float64(s) }), "buffers-free", "75 % of shared_buffers were still free when the measurement began, and 16 % when it ended:"},
	{"free buffers that a growing table takes", freeBuffers("tpcb-like", 60, func(s int) float64 { return 0.5 - 0.0005*float64(s) }), "", ""},
	{"no free buffers", freeBuffers("tpcb-like", 60, func(int) float64 { return 0 }), "", ""},
	{"free buffers that are not known", freeBuffers("tpcb-like", 60, func(int) float64 { return math.NaN() }), "", ""},
	{"free buffers before the window", freeBuffers("tpcb-like", 60, func(s int) float64 { return max(0, -0.1*float64(s)) }), "", ""},
	{"free buffers while reading", freeBuffers("select-only", 60, func(s int) float64 { return max(0, 0.5-0.01*float64(s)) }), "", ""},
	{"free buffers in a short run", freeBuffers("tpcb-like", 10, func(s int) float64 { return max(0, 0.5-0.1*float64(s)) }), "short", ""},
	{"autovacuum", func(c *Case) { c.Run.Evidence.Server.Counts[record.Autovacuums] = 2 }, "autovacuum", "autovacuum ran during the load: 2 tables"},
	{"autovacuum on an idle server", func(c *Case) { c.Run.Evidence.Neighbours[1].Counts[record.Autovacuums] = 1 }, "autovacuum-neighbour", "nfs (1 table)"},
	{"checkpoints on idle servers", func(c *Case) {
		c.Run.Evidence.Neighbours[0].Counts[record.CheckpointsTimed] = 1
		c.Run.Evidence.Neighbours[1].Counts[record.CheckpointsTimed] = 2
	}, "checkpoint-neighbour", "memory (1 checkpoint), nfs (2 checkpoints)"},
}

// freeBuffers makes a run of some seconds with a column of free buffers.
func freeBuffers(workload string, seconds int, free func(second int) float64) func(*Case) {
	return func(c *Case) {
		c.Run.Workload, c.Run.Result.Duration = workload, float64(seconds)
		c.Points = steadyPoints(seconds)
		values := record.Column{Name: "buffers_free"}
		for _, second := range c.Points.Columns[0].Values {
			values.Values = append(values.Values, free(int(second)))
		}
		c.Points.Columns = append(c.Points.Columns, values)
	}
}

func TestWrites(t *testing.T) {
	for sql, want := range map[string]bool{
		"SELECT 1;":                             false,
		"update t set a = 1":                    true,
		"INSERT INTO t VALUES (1)":              true,
		"WITH x AS (DELETE FROM t) SELECT 1":    true,
		"MERGE INTO t USING s ON true":          true,
		"COPY t FROM STDIN":                     true,
		"truncate t":                            true,
		"CREATE TEMP TABLE t (a int)":           true,
		"CALL transfer(1, 2)":                   true,
		"SELECT nextval('s')":                   true,
		"SELECT * FROM t FOR UPDATE":            true,
		"SELECT updated, deleted_at FROM t":     false,
		"SELECT 'insert'":                       false,
		`SELECT "update" FROM t`:                false,
		"SELECT $$ delete $$":                   false,
		"SELECT $a$ $$ delete $a$":              false,
		"SELECT $a$ x $a$; DELETE FROM t":       true,
		"SELECT 1 -- insert\n":                  false,
		"SELECT 1; -- no\nINSERT INTO t SELECT": true,
		"/* update\n */ SELECT 1":               false,
		"/* it's */ DELETE FROM t":              true,
		"-- it's\nDELETE FROM t":                true,
		"SELECT '--'; DELETE FROM t":            true,
		"SELECT '/*'; DELETE FROM t":            true,
		"SELECT 'it''s'; DELETE FROM t":         true,
		"SELECT $1; DELETE FROM t":              true,
		"SELECT '$$'; DELETE FROM t; --$$":      true,
		"-- costs $$\nDELETE FROM t; -- $$":     true,
		`\set call random(1, 10)`:               false,
		"\\set a 1\nDELETE FROM t":              true,
		"  \\sleep 1 s\nSELECT 1":               false,
		"SELECT 'insert":                        false,
	} {
		w := experiment.Workload{Scripts: []experiment.Script{{SQL: sql}}}
		if got := writes(w); got != want {
			t.Errorf("writes(%q) = %v; without comments and quotes: %q", sql, got, bare(sql))
		}
	}
	mix := experiment.Workload{Scripts: []experiment.Script{{Builtin: "select-only"}, {Builtin: "simple-update"}}}
	if !writes(mix) || writes(experiment.Workload{}) || writes(sound().Experiment.Workloads[1]) {
		t.Error("a mix writes when one of its scripts does")
	}
}

// FuzzWrites checks that a leading comment changes nothing, and that a complete statement at
// the start of a script is found.
func FuzzWrites(f *testing.F) {
	for _, sql := range []string{"SELECT 1", "select 'it''s'", "$a$ $$ $a$", "/* /* */", "\\set a 1\n", "-- x", `"`, "$$"} {
		f.Add(sql)
	}
	writesSQL := func(sql string) bool {
		return writes(experiment.Workload{Scripts: []experiment.Script{{SQL: sql}}})
	}
	f.Fuzz(func(t *testing.T, sql string) {
		if writesSQL("-- insert $$ ' \" /*\n"+sql) != writesSQL(sql) {
			t.Errorf("a comment in front of %q changes what it does", sql)
		}
		if !writesSQL("DELETE FROM t; " + sql) {
			t.Errorf("%q hides what stands before it", sql)
		}
	})
}
