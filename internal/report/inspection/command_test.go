package inspection

import "testing"

// TestCommandsInMarkdown checks that commands become code, unchanged.
func TestCommandsInMarkdown(t *testing.T) {
	for _, c := range []struct{ advice, want string }{
		{"ALTER SYSTEM SET track_io_timing = on", "`ALTER SYSTEM SET track_io_timing = on`"},
		{"ALTER SYSTEM SET fsync = on; SELECT pg_reload_conf()", "`ALTER SYSTEM SET fsync = on`; `SELECT pg_reload_conf()`"},
		{"sysctl -w vm.nr_hugepages=8, set huge_pages = on, restart", "`sysctl -w vm.nr_hugepages=8`, set huge\\_pages = on, restart"},
		{"sysctl -w vm.overcommit_memory=2 (and vm.overcommit_ratio)", "`sysctl -w vm.overcommit_memory=2` (and vm.overcommit\\_ratio)"},
		{"ask its owner, then: ROLLBACK PREPARED 'a_b'", "ask its owner, then: `ROLLBACK PREPARED 'a_b'`"},
		{"ROLLBACK PREPARED 'a`b'", "ROLLBACK PREPARED 'a\\`b'"},
		{"echo none > /sys/block/sda/queue/scheduler", "`echo none > /sys/block/sda/queue/scheduler`"},
		{"make room at /a_b; never delete anything in pg_wal by hand", "make room at /a\\_b; never delete anything in pg\\_wal by hand"},
		{"mount a volume at that directory", "mount a volume at that directory"}, {"", ""},
	} {
		if got := withCommands(c.advice); got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.advice, got, c.want)
		}
	}
}
