package knob

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// need skips a test if a requirement is missing; in CI the test fails instead.
func need(t *testing.T, there bool, what string) {
	t.Helper()
	switch {
	case there:
	case os.Getenv("CI") != "":
		t.Fatalf("this test needs %s", what)
	default:
		t.Skipf("this test needs %s", what)
	}
}

// programs returns the programs of a name in the directories of an environment variable,
// and in other directories.
func programs(t *testing.T, variable string, names []string, patterns ...string) []string {
	t.Helper()
	dirs := filepath.SplitList(os.Getenv(variable))
	for _, pattern := range patterns {
		more, _ := filepath.Glob(pattern)
		dirs = append(dirs, more...)
	}
	var found []string
	for _, dir := range dirs {
		for _, name := range names {
			path := filepath.Join(dir, name)
			if info, err := os.Stat(path); err == nil && info.Mode()&0o111 != 0 && !slices.Contains(found, path) {
				found = append(found, path)
			}
		}
	}
	need(t, len(found) > 0, strings.Join(names, " or "))
	return found
}

func output(t *testing.T, program string, args ...string) (string, error) {
	t.Helper()
	// Not the test's own context: that has ended when what it made is removed.
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C"}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil && len(out) == 0 {
		return stderr.String(), err
	}
	return string(out), err
}

// TestPostgresDescribes checks that the parameters that local servers report match the
// captured ones.
func TestPostgresDescribes(t *testing.T) {
	t.Parallel()
	kinds := map[string]Kind{"BOOLEAN": Boolean, "INTEGER": Integer, "REAL": Number, "STRING": Text, "ENUM": Word}
	for _, server := range programs(t, "PLINTH_TEST_PG_BIN", []string{"postgres"}, "/usr/lib/postgresql/*/bin") {
		version, err := output(t, server, "-V")
		if err != nil {
			t.Fatal(err)
		}
		major := regexp.MustCompile(`[0-9]+`).FindString(version)
		described, err := output(t, server, "--describe-config")
		if err != nil {
			t.Fatalf("%s: %v: %s", server, err, described)
		}
		seen := 0
		for line := range strings.Lines(described) {
			f := strings.Split(line, "\t")
			k, known := Parameter(postgres, f[0])
			if !known {
				t.Errorf("%s: %s is not known", version, f[0])
				continue
			}
			seen++
			// Some became richer: a boolean a word, a word a text.
			newest := strings.HasSuffix(k.Versions, "18")
			if k.Kind != kinds[f[3]] && (major == "18" || !newest) {
				t.Errorf("%s: %s is %s, not %s", version, f[0], f[3], k.Kind)
			}
			if (f[1] == "postmaster") != (k.Needs == Restart) && major == "18" {
				t.Errorf("%s: %s of %s needs %q", version, f[0], f[1], k.Needs)
			}
			if k.Kind == Integer && f[3] == "INTEGER" && (!k.Same(f[5], k.limit(*k.Min)) || !k.Same(f[6], k.limit(*k.Max))) && major == "18" {
				t.Errorf("%s: %s is from %s to %s: %s", version, f[0], f[5], f[6], k.Takes())
			}
		}
		if seen < 250 {
			t.Errorf("%s: only %d parameters", version, seen)
		}
	}
}

// TestPostgresReads checks that PostgreSQL interprets values as Canonical and Same do, and
// refuses the values that Canonical refuses.
func TestPostgresReads(t *testing.T) {
	t.Parallel()
	servers := programs(t, "PLINTH_TEST_PG_BIN", []string{"postgres"}, "/usr/lib/postgresql/*/bin")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "postgresql.conf"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for i, test := range []struct {
		name, value string
		refused     bool
	}{
		{"shared_buffers", "30.1GB", false}, {"shared_buffers", "0.125GB", false}, {"shared_buffers", "16384", false}, {"shared_buffers", "1.00001GB", false},
		{"work_mem", "1.5MB", false}, {"work_mem", "100.7", false}, {"work_mem", "1mb", true}, {"bgwriter_delay", "0.2s", false}, {"bgwriter_delay", "9ms", true},
		{"checkpoint_timeout", "0.5h", false}, {"checkpoint_timeout", "90500ms", false}, {"random_page_cost", "1.1234567", false}, {"random_page_cost", "x", true},
		{"autovacuum_vacuum_cost_delay", "0.5ms", false}, {"vacuum_cost_delay", "1500us", false}, {"temp_file_limit", "-1", false}, {"temp_file_limit", "-2", true},
		{"huge_pages", "TRUE", false}, {"huge_pages", "maybe", true}, {"fsync", "of", false}, {"fsync", "o", true}, {"commit_delay", "100001", true},
		{"max_wal_size", "48GB", false}, {"wal_buffers", "64MB", false}, {"max_connections", "99.5", false}, {"max_connections", "100.5", false}, {"commit_delay", "5e1", false},
	} {
		server := servers[i%len(servers)] // each of them some
		k, _ := Parameter(postgres, test.name)
		canonical, refusal := k.Canonical(test.value)
		raw, err := output(t, server, "-C", test.name, "-D", dir, "-c", test.name+"="+test.value)
		if (err != nil) != test.refused || (refusal != nil) != test.refused {
			t.Errorf("%s = %s: %v of %s: %s; and here %v", test.name, test.value, err, server, raw, refusal)
			continue
		}
		if test.refused {
			continue
		}
		own, err := output(t, server, "-C", test.name, "-D", dir, "-c", test.name+"="+canonical)
		if err != nil || own != raw || !k.Same(strings.TrimSpace(raw), test.value) || !k.Same(raw, canonical) {
			t.Errorf("%s = %s: %s has %s; as %s, %s (%v)", test.name, test.value, server, raw, canonical, own, err)
		}
	}
}

// TestRedisParameters checks that each parameter of the local servers is known, and has a
// valid value.
func TestRedisParameters(t *testing.T) {
	t.Parallel()
	for _, server := range programs(t, "PLINTH_TEST_REDIS_BIN", []string{"redis-server", "valkey-server"}, "/usr/bin", "/usr/local/bin") {
		t.Run(strings.ReplaceAll(strings.TrimPrefix(server, "/"), "/", "-"), func(t *testing.T) {
			t.Parallel()
			words := redisConfig(t, server)
			if len(words) < 280 {
				t.Errorf("only %d words", len(words))
			}
			for i := 0; i+1 < len(words); i += 2 {
				k, known := Parameter(redis, words[i])
				if !known {
					t.Errorf("%s is not known", words[i])
					continue
				}
				if canonical, err := k.Canonical(words[i+1]); err != nil || !k.Same(canonical, words[i+1]) {
					t.Errorf("%s is %q: %q, %v", words[i], words[i+1], canonical, err)
				}
			}
		})
	}
}

// redisConfig starts a server and returns its reply to CONFIG GET *.
func redisConfig(t *testing.T, server string) []string {
	t.Helper()
	dir, err := os.MkdirTemp("", "knob") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	cmd := exec.Command(server, "--port", "0", "--unixsocket", socket, "--dir", dir, "--save", "")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	var conn net.Conn
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if conn, err = net.Dial("unix", socket); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	if _, err := conn.Write([]byte("CONFIG GET *\r\nQUIT\r\n")); err != nil {
		t.Fatal(err)
	}
	var answer bytes.Buffer
	_, _ = answer.ReadFrom(conn)
	// Of "$5\r\nhello\r\n" what follows each length.
	var words []string
	lines := strings.Split(answer.String(), "\r\n")
	for i := 1; i+1 < len(lines); i += 2 {
		if strings.HasPrefix(lines[i], "$") {
			words = append(words, lines[i+1])
		}
	}
	return words
}

// TestParametersWhole checks that every parameter describes its valid values.
func TestParametersWhole(t *testing.T) {
	all, err := parameters()
	if err != nil {
		t.Fatal(err)
	}
	for engine, least := range map[string]int{postgres: 380, redis: 220} {
		if len(all[engine]) < least {
			t.Errorf("%s has %d parameters", engine, len(all[engine]))
		}
		for _, k := range all[engine] {
			_, counted := base[k.Unit]
			switch {
			case k.Layer != Server || k.Scope != OfServer || k.Engine != engine || k.Source.URL == "" || k.Versions == "":
				t.Errorf("%s %s: %+v", engine, k.Name, k)
			case engine == postgres && k.Doc == "" || !slices.Contains([]Kind{Integer, Number, Boolean, Word, Text}, k.Kind):
				t.Errorf("%s %s: kind %s, %q", engine, k.Name, k.Kind, k.Doc)
			case k.Unit != "" && !counted:
				t.Errorf("%s %s: unit %s", engine, k.Name, k.Unit)
			case (k.Kind == Word || k.Kind == Boolean) != (len(k.Words) > 1):
				t.Errorf("%s %s: words %q", engine, k.Name, k.Words)
			}
			for _, value := range slices.Concat(k.Unsafe, k.Persistence, k.Words) {
				if canonical, err := k.Canonical(value); err != nil || canonical != value {
					t.Errorf("%s %s: %q is %q, %v", engine, k.Name, value, canonical, err)
				}
			}
			if _, both := Find(k.Name); both {
				t.Errorf("%s is in the catalog, and a parameter of %s", k.Name, engine)
			}
		}
	}
}
