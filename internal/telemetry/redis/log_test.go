package redis

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"plinth/internal/telemetry"
)

// marksOf returns the marks of a log whose lines come a tenth of a second apart.
func marksOf(lines ...string) (marks []string) {
	log, begin := NewLog(), time.Unix(1000, 0)
	for i, line := range lines {
		log.Line(begin.Add(time.Duration(i)*time.Second/10), line)
	}
	b := telemetry.NewBoard("log")
	log.Drain(b)
	for _, m := range b.Marks(begin) {
		marks = append(marks, m.Kind+"|"+m.Text)
	}
	return marks
}

func TestLogLines(t *testing.T) {
	const at = "26642:M 22 Nov 2026 01:03:57.066 "
	const child = "26651:C 22 Nov 2026 01:03:57.069 "
	for line, want := range map[string]string{
		at + "* Background saving started by pid 7":                                                          "rdb-save-start|",
		at + "* Background RDB transfer started by pid 7 to pipe through parent process":                     "rdb-save-start|to replicas",
		at + "# Background saving error":                                                                     "rdb-save-end|failed",
		at + "# Background saving terminated by signal 9":                                                    "rdb-save-end|failed",
		at + "* DB saved on disk":                                                                            "rdb-save-end|by SAVE, which blocked the server",
		at + "* Background append only file rewriting started by pid 7":                                      "aof-rewrite-start|",
		at + "* Background AOF rewrite finished successfully":                                                "aof-rewrite-end|",
		at + "# Background AOF rewrite terminated with error":                                                "aof-rewrite-end|failed",
		at + "# Background AOF rewrite terminated by signal 9":                                               "aof-rewrite-end|failed",
		at + "* Asynchronous AOF fsync is taking too long (disk is busy?). Writing the AOF buffer without …": "aof-delayed-fsync|the disk is busy: the server writes without waiting for the sync",
		at + "* Full resync requested by replica 127.0.0.1:6380":                                             "full-resync|Full resync requested by replica 127.0.0.1:6380",
		at + "* Synchronization with replica 127.0.0.1:6380 succeeded":                                       "replica-up|Synchronization with replica 127.0.0.1:6380 succeeded",
		at + "# Connection with replica 127.0.0.1:6380 lost.":                                                "replica-down|Connection with replica 127.0.0.1:6380 lost.",
		at + "* Connection with replica (rdbchannel) 127.0.0.1:6380 lost.":                                   "",
		"7:S 22 Nov 2026 01:03:57.066 # Connection with master lost.":                                        "replica-down|link to the primary",
		"7:S 22 Nov 2026 01:03:57.066 * MASTER <-> REPLICA sync: Finished with success":                      "replica-up|link to the primary",
		"7:S 22 Nov 2026 01:03:57.066 * PRIMARY <-> REPLICA sync: Finished with success":                     "replica-up|link to the primary",
		at + "# Error writing to the AOF file: No space left on device":                                      "log|Error writing to the AOF file: No space left on device",
		at + "* AOF write error looks solved. The server can write again.":                                   "log|AOF write error looks solved. The server can write again.",
		at + "# Can't save in background: fork: Cannot allocate memory":                                      "log|Can't save in background: fork: Cannot allocate memory",
		child + "# Failed opening the temp RDB file temp-7.rdb (in server root dir /x) for saving: No such":  "log|Failed opening the temp RDB file temp-7.rdb (in server root dir /x) for saving: No such",
		at + "# Client id=5 addr=/s:0 scheduled to be closed ASAP for overcoming of output buffer limits.":   "log|a client was disconnected because of its output buffer limit",
		"26642:signal-handler (1795309529) Received SIGTERM scheduling shutdown...":                          "log|Received SIGTERM scheduling shutdown...",
		at + "* Ready to accept connections unix":                                                            "log|Ready to accept connections",
		// Ignored lines, some of which resemble relevant ones.
		"": "", "\x00": "", ":": "", "1:": "", "1:M": "", "1:M *": "", "x:M 1 * Background saving started by pid 7": "",
		child + "* DB saved on disk": "", child + "* Background saving started by pid 7": "",
		at + "* Background AOF rewrite terminated with success":        "",
		at + "* 10 changes in 300 seconds. Saving...":                  "",
		at + "- Accepted 127.0.0.1:5":                                  "",
		"Background saving started by pid 7":                           "",
		"7:M  # WARNING: Background saving started by pid 7":           "",
		at + "# WARNING Memory overcommit must be enabled! Without it": "",
	} {
		if got := strings.Join(marksOf(line), "\n"); got != want {
			t.Errorf("%q:\n got %q\nwant %q", line, got, want)
		}
	}
}

// TestLogRemembers checks that a start has its reason, and an end its duration.
func TestLogRemembers(t *testing.T) {
	const at = "26642:M 22 Nov 2026 01:03:57.066 "
	got := marksOf(
		at+"* Starting automatic rewriting of AOF on 118% growth", at+"* Background append only file rewriting started by pid 7",
		at+"* 10 changes in 300 seconds. Saving...", at+"* Background saving started by pid 8",
		at+"* Background AOF rewrite terminated with success", at+"* Background AOF rewrite finished successfully",
		at+"# Background saving error", at+"* Background saving started by pid 9",
	)
	want := []string{
		"aof-rewrite-start|118% growth", "rdb-save-start|10 changes in 300 s",
		"aof-rewrite-end|0.400 s", "rdb-save-end|failed, 0.300 s", "rdb-save-start|",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestCapturedLogs checks each version's log of the same sequence: a full resync, a
// rewrite, saves, a replica that disconnects and returns.
func TestCapturedLogs(t *testing.T) {
	numbers := regexp.MustCompile(`[0-9.]+ s$`)
	for name, want := range map[string][]string{
		"redis-6.2.14": {"full-resync", "rdb-save-start", "rdb-save-end", "replica-up", "aof-rewrite-start", "aof-rewrite-end", "rdb-save-end|failed", "replica-down"},
		"redis-7.0.15": {"aof-rewrite-start", "aof-rewrite-end", "rdb-save-start", "rdb-save-end"},
		"redis-8.2.3":  {"full-resync", "aof-rewrite-start", "aof-rewrite-end", "rdb-save-start", "rdb-save-end", "replica-down"},
		"valkey-8.1.8": {"full-resync", "aof-rewrite-start", "aof-rewrite-end", "rdb-save-start", "rdb-save-end", "replica-down"},
	} {
		marks := marksOf(strings.Split(captured(t, name+".log.txt"), "\n")...)
		for _, kind := range want {
			if !slices.ContainsFunc(marks, func(m string) bool { return strings.HasPrefix(m, kind) }) {
				t.Errorf("%s: no %s in\n%s", name, kind, strings.Join(marks, "\n"))
			}
		}
		begun, ended := 0, 0
		for _, m := range marks {
			kind, text, _ := strings.Cut(m, "|")
			if strings.HasSuffix(kind, "-start") {
				begun++
			}
			if strings.HasSuffix(kind, "-end") {
				ended++
				if !numbers.MatchString(text) {
					t.Errorf("%s: %s does not say how long it took", name, m)
				}
			}
		}
		if begun != ended {
			t.Errorf("%s: %d begun, %d ended:\n%s", name, begun, ended, strings.Join(marks, "\n"))
		}
	}
}

func FuzzLog(f *testing.F) {
	logs, _ := filepath.Glob("testdata/*log.txt")
	for _, path := range logs {
		f.Add(captured(f, filepath.Base(path)))
	}
	f.Add("1:M a * Full resync requested by replica \xff\u202e\x1b[31m\n1:signal-handler () Received SIG")
	f.Fuzz(func(t *testing.T, text string) {
		for _, m := range marksOf(strings.Split(text, "\n")...) {
			kind, text, _ := strings.Cut(m, "|")
			if kind == "" || len(text) > 450 || !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Errorf("%q", m)
			}
		}
	})
}

func BenchmarkLogLine(b *testing.B) {
	log := NewLog()
	b.ReportAllocs()
	for b.Loop() {
		log.Line(time.Time{}, "26642:M 22 Nov 2026 01:03:57.066 - Accepted 127.0.0.1:50514")
	}
}
