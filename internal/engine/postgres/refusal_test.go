//go:build linux

package postgres

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plinth/internal/conninfo"
	"plinth/internal/experiment"
	"plinth/internal/hint"
)

// mustRefuse expects an error that contains words, and a hint that contains advice.
func mustRefuse(t *testing.T, err error, words, advice string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %q", words)
	}
	if !strings.Contains(err.Error(), words) || !strings.Contains(hint.Of(err), advice) || (advice == "") != (hint.Of(err) == "") {
		t.Fatalf("got  %q, hint %q\nwant %q, hint %q", err, hint.Of(err), words, advice)
	}
	for _, secret := range []string{strangerPassword, strangerPasswordURI, "wr0ng"} {
		if strings.Contains(err.Error()+hint.Of(err), secret) {
			t.Fatalf("the error shows a password: %v", err)
		}
	}
}

func TestProbeRefuses(t *testing.T) {
	s := startStranger(t)
	s.exec(t, "CREATE ROLE poor LOGIN")
	s.exec(t, "CREATE ROLE still LOGIN CREATEDB")
	s.exec(t, "ALTER ROLE still SET default_transaction_read_only = on")
	s.exec(t, "CREATE ROLE narrow LOGIN CREATEDB CONNECTION LIMIT 2")
	socket := fmt.Sprintf("host=%s port=%d dbname=postgres user=", s.socketDir, s.port)
	tcp := fmt.Sprintf("@127.0.0.1:%d/postgres", s.port)
	t.Setenv("PGPASSFILE", filepath.Join(t.TempDir(), "none"))

	for _, test := range []struct {
		name, connect string
		change        func(*experiment.Experiment, *experiment.Environment)
		words, advice string
	}{
		{"fine", socket + "loader", nil, "", ""},
		{"fine by password", "postgresql://loader:" + strangerPasswordURI + tcp, nil, "", ""},
		{"not disposable", socket + "loader", func(_ *experiment.Experiment, e *experiment.Environment) { e.Disposable = false },
			"environment there: cannot use the server of environment there: it is not disposable", "disposable: true"},
		{"unreachable", fmt.Sprintf("postgresql://loader:wr0ng@127.0.0.1:%d/postgres", freePort(t)), nil, "as loader: connect: connection refused", "check that the server is running"},
		{"no socket", "host=/nowhere user=loader", nil, "cannot connect to /nowhere as loader", "check that the server is running"},
		{"wrong password", "postgresql://loader:wr0ng" + tcp, nil, `FATAL: password authentication failed for user "loader"`, "PGPASSWORD"},
		{"no database", strings.Replace(socket, "dbname=postgres", "dbname=nope", 1) + "loader", nil, `FATAL: database "nope" does not exist`, "postgres"},
		{"no right to create", socket + "poor", nil, "the user is not allowed to create databases", "CREATEDB"},
		{"read-only", socket + "still", nil, "the server is read-only", "default_transaction_read_only"},
		{"few connections", socket + "loader", func(e *experiment.Experiment, _ *experiment.Environment) { e.Clients = []int{1, 16} },
			"the load needs 16 connections, but the server has room for 15 (max_connections is 20, 0 in use, 3 reserved, 2 for plinth itself)", "max_connections"},
		{"enough connections", socket + "loader", func(e *experiment.Experiment, _ *experiment.Environment) { e.Clients = []int{1, 15} }, "", ""},
		{"few connections for connect: each", socket + "loader", func(e *experiment.Experiment, _ *experiment.Environment) { e.Clients, e.Connect = []int{8}, "each" },
			"the load needs 16 connections", "max_connections"},
		{"the user's limit", socket + "narrow", nil, "the load needs 4 connections, but the server has room for 0 (the user may have 2", "clients"},
		{"several servers", "postgresql://loader@a,b/postgres", nil, "names several servers", "only the server"},
		{"no connection string", "nonsense", nil, "the connection string is neither a URI", ""},
		{"a key's password", socket + "loader sslpassword=wr0ng", nil, "has sslpassword", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			exp, env := smallExperiment(), experiment.Environment{Name: "there", Connect: conninfo.Conninfo(test.connect), Disposable: true}
			if test.change != nil {
				test.change(exp, &env)
			}
			s.awaitAlone(t) // the connection of the previous case counts until it is gone
			err := Kind{}.Probe(t.Context(), exp, env)
			if test.words == "" {
				must(t, err)
				return
			}
			mustRefuse(t, err, test.words, test.advice)
		})
	}

	t.Run("standby", func(t *testing.T) {
		s.kill(t)
		must(t, os.WriteFile(filepath.Join(s.dir, "standby.signal"), nil, 0o644))
		s.start(t)
		env := experiment.Environment{Name: "there", Connect: conninfo.Conninfo(socket + "loader"), Disposable: true}
		mustRefuse(t, Kind{}.Probe(t.Context(), smallExperiment(), env), "the server is a standby", "primary")
	})
}

func TestOldServerIsRefused(t *testing.T) {
	mustRefuse(t, situation{version: 120022, text: "12.22"}.refuse(smallExperiment()), "PostgreSQL 12.22, older than 13", "")
}

func TestProbeRefusesSettings(t *testing.T) {
	for _, test := range []struct{ name, value, words, advice string }{
		{"shared_buffers", "16MB", "", ""},
		{"Shared_Buffers", "16MB", "", ""},
		{"shared_bufers", "16MB", `environment here: PostgreSQL rejects a setting: unrecognized configuration parameter "shared_bufers"`, "did you mean shared_buffers?"},
		{"completely_wrong", "1", `unrecognized configuration parameter "completely_wrong"`, "has no setting of this name"},
		{"work_mem", "4XB", `invalid value for parameter "work_mem": "4XB"`, ""},
		{"work_mem", "1kB", `is outside the valid range for parameter "work_mem"`, ""},
		{"fsync", "maybe", `parameter "fsync" requires a Boolean value`, ""},
		{"log_line_prefix", `it's a \ "prefix" # x`, "", ""},
		{"work mem", "4MB", `"work mem" cannot be the name of a setting`, ""},
		{"work_mem", "4MB'\nfsync = 'off", "a line break or control character in the value of work_mem", ""},
		{"include", "/etc/passwd", "include is set by plinth itself", "the server's files"},
		{"LISTEN_ADDRESSES", "*", "listen_addresses is set by plinth itself", "private socket"},
		{"max_connections", "0", "is outside the valid range for parameter \"max_connections\"", ""},
		{"work_mem", "", `invalid value for parameter "work_mem": ""`, ""},
		{"block_size", "8192", `parameter "block_size" cannot be changed`, ""},
	} {
		t.Run(test.name+"="+test.value, func(t *testing.T) {
			exp := smallExperiment()
			exp.Settings = map[string]string{test.name: test.value}
			temporary := t.TempDir()
			t.Setenv("TMPDIR", temporary)
			err := Kind{}.Probe(t.Context(), exp, experiment.Environment{Name: "here"})
			if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
				t.Errorf("files before there is a journal: %v, %v", left, err)
			}
			if test.words == "" {
				must(t, err)
				return
			}
			mustRefuse(t, err, test.words, test.advice)
		})
	}
}

func TestStartFails(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, value, words, advice string }{
		{"shared_buffers", "4000GB", "cannot start PostgreSQL: FATAL: could not map anonymous shared memory: Cannot allocate memory", "lower shared_buffers"},
		{"shared_preload_libraries", "nope", `cannot start PostgreSQL: FATAL: could not access file "nope": No such file`, "shared_preload_libraries"},
	} {
		t.Run(test.name, func(t *testing.T) {
			config := ownConfig(t, oneInstalled(t))
			config.Experiment.Settings = map[string]string{test.name: test.value}
			own := newServer(t, config)
			err := own.Start(t.Context())
			mustRefuse(t, err, test.words, test.advice)
			must(t, own.Remove(t.Context()))
		})
	}
}

func TestDirectoryOfOthersIsRefused(t *testing.T) {
	config := ownConfig(t, oneInstalled(t))
	must(t, os.WriteFile(filepath.Join(config.DataDir, "precious"), []byte("data"), 0o600))
	own := newServer(t, config)
	mustRefuse(t, own.Start(t.Context()), "is not empty", "an empty directory")
	must(t, own.Remove(t.Context()))
	if _, err := os.Stat(filepath.Join(config.DataDir, "precious")); err != nil {
		t.Error(err)
	}
}

func TestSocketPathsAreChecked(t *testing.T) {
	config := ownConfig(t, oneInstalled(t))
	config.SocketDir = "/" + strings.Repeat("d", 95)
	_, err := NewOwn(config)
	mustRefuse(t, err, "107 is the maximum", "")
	config.SocketDir = "/a,b"
	_, err = NewOwn(config)
	mustRefuse(t, err, "comma", "")
}
