//go:build linux

package redis

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"plinth/internal/engine"
	"plinth/internal/engine/life"
	"plinth/internal/engine/redis/client"
	"plinth/internal/experiment"

	"plinth/internal/host/hosttest"
)

func TestProbeOfConnected(t *testing.T) {
	s := startStranger(t, oneInstalled(t))
	rdb := s.client(t)
	must(t, rdb.Do(t.Context(), "ACL", "SETUSER", "poor", "on", ">"+strangerPassword, "~plinth:*", "+@all", "-unlink").Err())
	must(t, rdb.Do(t.Context(), "ACL", "SETUSER", "narrow", "on", ">"+strangerPassword, "~other:*", "+@all").Err())
	address := fmt.Sprintf("127.0.0.1:%d/0", s.port)
	as := redisAs(address)
	t.Run("each", func(t *testing.T) { probeEach(t, address) })
	t.Run("password of the environment", func(t *testing.T) {
		t.Setenv(client.CliPassword, strangerPassword)
		must(t, Kind{}.Probe(t.Context(), smallExperiment(), connectedConfig(t, "redis://loader@"+address).Environment))
	})
	t.Run("replica", func(t *testing.T) {
		must(t, rdb.Do(t.Context(), "REPLICAOF", "127.0.0.1", "1").Err())
		mustRefuse(t, Kind{}.Probe(t.Context(), smallExperiment(), connectedConfig(t, as("loader")).Environment), "the server is a replica", "primary")
		must(t, rdb.Do(t.Context(), "REPLICAOF", "NO", "ONE").Err())
	})
	if keys := s.keys(t, "*"); len(keys) > 0 {
		t.Errorf("Probe has left %v", keys)
	}
}

func probeEach(t *testing.T, address string) {
	as := redisAs(address)
	for _, test := range []struct {
		name, connect string
		change        func(*experiment.Experiment, *experiment.Environment)
		words, advice string
	}{
		{"fine", as("loader"), nil, "", ""},
		{"not disposable", as("loader"), func(_ *experiment.Experiment, e *experiment.Environment) { e.Disposable = false },
			"environment there: cannot use the server of environment there: it is not disposable", "disposable: true"},
		{"unreachable", "redis://loader:wr0ng@127.0.0.1:1/0", nil, "cannot connect to 127.0.0.1:1: connect: connection refused", "check that the server is running"},
		{"no socket", "unix:///nowhere/s", nil, "cannot connect to /nowhere/s: connect: no such file or directory", "check that the server is running"},
		{"wrong password", "redis://loader:wr0ng@" + address, nil, "WRONGPASS invalid username-password pair", "right password"},
		{"no password", "redis://" + address, nil, "NOAUTH Authentication required", client.CliPassword},
		{"forbidden command", as("poor"), nil, "the server rejects UNLINK: NOPERM", "ACL SETUSER"},
		{"forbidden keys", as("narrow"), nil, "the server rejects SET: NOPERM", keyPrefix},
		{"too many connections", as("loader"), func(e *experiment.Experiment, _ *experiment.Environment) { e.Clients = []int{20_000} },
			"the load needs 20000 connections, but the server has room for", "maxclients"},
		{"too many keys", as("loader"), func(e *experiment.Experiment, _ *experiment.Environment) { e.Dataset.Keys, e.Dataset.Size = 1e9, 1e6 },
			"1000000000 keys of 1 MB add up to 1 PB", "lower dataset.keys"},
		{"TLS where there is none", strings.Replace(as("loader"), "redis:", "rediss:", 1), nil, "cannot connect to 127.0.0.1", "check that the server is running"},
		{"no certificate", strings.Replace(as("loader"), "redis:", "rediss:", 1) + "?cacert=/etc/hostname", nil, "/etc/hostname holds no PEM certificate", ""},
		{"no connection string", "redis://h/x", nil, "the connection string has an invalid database number", ""},
		{"redis-benchmark", as("loader"), func(e *experiment.Experiment, _ *experiment.Environment) { e.Generator = experiment.RedisBenchmark },
			"redis-benchmark chooses its own key names", "generator: plinth"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e, env := smallExperiment(), connectedConfig(t, test.connect).Environment
			if test.change != nil {
				test.change(e, &env)
			}
			err := Kind{}.Probe(t.Context(), e, env)
			if test.words == "" {
				must(t, err)
				return
			}
			mustRefuse(t, err, test.words, test.advice)
		})
	}
}

func redisAs(address string) func(user string) string {
	return func(user string) string { return "redis://" + user + ":" + strangerPasswordURI + "@" + address }
}

func TestProbeOfOtherKindsOfServers(t *testing.T) {
	for _, test := range []struct {
		name          string
		settings      []string
		words, advice string
	}{
		{"cluster", []string{"--cluster-enabled", "yes"}, "part of a cluster", "not part of a cluster"},
		{"renamed", []string{"--rename-command", "UNLINK", "hidden"}, "the server rejects UNLINK: ERR unknown command", "renamed"},
		{"without CONFIG", []string{"--rename-command", "CONFIG", ""}, "", ""},
		{"full", []string{"--maxmemory", "3mb"}, "add up to 2 MB, and take 2.3 MB of memory including the server's overhead: the server's maxmemory leaves", "lower"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := startStranger(t, oneInstalled(t), test.settings...)
			config := connectedConfig(t, fmt.Sprintf("unix://default:%s@%s?db=0", strangerPasswordURI, s.socket))
			err := Kind{}.Probe(t.Context(), config.Experiment, config.Environment)
			if test.words != "" {
				mustRefuse(t, err, test.words, test.advice)
				return
			}
			must(t, err)
			c, err := NewConnected(config)
			must(t, err)
			e, err := c.Describe(t.Context())
			must(t, err)
			if len(e.Warnings) == 0 || e.Warnings[0].Rule != "settings-unknown" {
				t.Errorf("warned of %+v", e.Warnings)
			}
		})
	}
}

func TestOthersAreRefused(t *testing.T) {
	e := smallExperiment()
	for words, f := range map[string]client.Info{
		"Redis 5.0.14, older than 6":  {"redis_version": "5.0.14"},
		"still loading its dataset":   {"redis_version": "7.0.1", "loading": "1"},
		"is a sentinel":               {"redis_version": "7.0.1", "redis_mode": "sentinel"},
		"the server has room for 1 (": {"redis_version": "7.0.1", "maxclients": "5", "connected_clients": "3"},
	} {
		if err := refuse(f, e); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%v gave %v, want %s", f, err, words)
		}
	}
	valkey := client.Info{"server_name": "valkey", "valkey_version": "8.1.8", "redis_version": "7.2.4"}
	if program, text, number := valkey.Version(); refuse(valkey, e) != nil || program != client.Valkey || text != "8.1.8" || number != 80108 {
		t.Errorf("%s %s %d", program, text, number)
	}
}

// TestCommandsNotForOthers checks commands that would change or delete what is not plinth's.
func TestCommandsNotForOthers(t *testing.T) {
	s := startStranger(t, oneInstalled(t))
	c := newConnected(t, fmt.Sprintf("unix://default:%s@%s?db=0", strangerPasswordURI, s.socket))
	var mistake *engine.MistakeError
	for _, command := range []string{"FLUSHALL", "flushdb", "PING\nCONFIG SET save ''", "SHUTDOWN NOSAVE", `SET "a`, "NONSENSE"} {
		if err := c.Do(t.Context(), command); !errors.As(err, &mistake) {
			t.Errorf("%s gave %v", command, err)
		}
	}
	must(t, c.Do(t.Context(), "SET plinth:test1:x 'a b'\n\nGET plinth:test1:x\nGET plinth:test1:nothing"))
	if s.client(t).Get(t.Context(), "plinth:test1:x").Val() != "a b" {
		t.Error("nothing was set")
	}
}

// TestFullDisk checks that Redis rejects writes, and that Check says why in its words.
func TestFullDisk(t *testing.T) {
	hosttest.NeedRoot(t)
	for _, test := range []struct{ name, words string }{
		{"append-only file", "cannot write its append-only file: "},
		{"RDB", "its last RDB save failed: Write error"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			settings := []string{"appendonly", "yes", "save", "", "auto-aof-rewrite-percentage", "0"}
			if test.name == "RDB" {
				settings = []string{"appendonly", "no", "save", "3600 1"}
			}
			config := ownConfig(t, settings...)
			config.Experiment.Dataset = experiment.Dataset{}
			dir := config.Dir(experiment.RoleData)
			must(t, unix.Mount("none", dir, "tmpfs", 0, "size=1m"))
			t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
			if user := config.User; user != nil {
				must(t, os.Chown(dir, user.UID, user.GID))
			}
			own := startOwn(t, config, oneInstalled(t))
			must(t, own.Load(t.Context(), nil))
			must(t, own.Check(t.Context()))
			rdb, _ := reach(t, own.Target())
			for i := range 40 {
				_ = rdb.Set(t.Context(), fmt.Sprint(i), newValues(50_000).of(int64(i)), 0).Err() // rejected once it is full
			}
			_ = rdb.BgSave(t.Context()).Err()
			var err error
			_ = life.Poll(t.Context(), patience, func() bool { err = own.Check(t.Context()); return err != nil })
			mustRefuse(t, err, test.words, "free space")
		})
	}
}

func TestUndoOfKeys(t *testing.T) {
	s := startStranger(t, oneInstalled(t))
	s.set(t, "precious", "data")
	s.set(t, "plinth:test1", "data") // no prefix of plinth's ends like this
	c := newConnected(t, fmt.Sprintf("redis://loader:%s@127.0.0.1:%d/0", strangerPasswordURI, s.port))
	must(t, c.Load(t.Context(), nil))
	if len(s.keys(t, "plinth:test1:*")) != smallKeys || strings.Contains(string(c.note.Args), "s3cr") {
		t.Fatalf("%d keys, journal %s", len(s.keys(t, "plinth:test1:*")), c.note.Args)
	}
	c.Close()
	undoers := Kind{}.Undoers()
	mustRefuse(t, c.Journal.PutBack(t.Context(), undoers), "cannot remove keys plinth:test1:* at 127.0.0.1", client.CliPassword)
	t.Setenv(client.CliPassword, strangerPassword)
	must(t, c.Journal.PutBack(t.Context(), undoers))
	if left := s.keys(t, "*"); len(left) != 2 {
		t.Errorf("left: %v", left)
	}
	for _, prefix := range []string{"", "*", "plinth:", "other:", "plinth:a*:"} {
		err := undoKeys(t.Context(), fmt.Appendf(nil, `{"server": "unix://%s", "prefix": %q}`, s.socket, prefix))
		mustRefuse(t, err, "the journal entry has no valid prefix", "")
	}
}

// TestTarget checks how programs find a server, and that no password is in a visible place.
func TestTarget(t *testing.T) {
	t.Setenv("REDISCLI_AUTH", "")
	t.Setenv("PLINTH_REDIS_SOCKET", "/elsewhere")
	added := func(env []string) (all []string) {
		for _, variable := range env {
			if strings.HasPrefix(variable, "PLINTH_REDIS_") || strings.HasPrefix(variable, "REDISCLI_") {
				all = append(all, variable)
			}
		}
		return all
	}
	c := newConnected(t, "rediss://u:hush@h:7/3?cacert=/etc/ssl/certs/ca-certificates.crt")
	target := c.Target()
	if target.Conninfo != "rediss://u@h:7/3?cacert=%2Fetc%2Fssl%2Fcerts%2Fca-certificates.crt&prefix=plinth%3Atest1%3A" {
		t.Errorf("reached as %s", target.Conninfo)
	}
	if got := strings.Join(added(target.Env.Environ()), " "); got != "PLINTH_REDIS_PASSWORD=hush" {
		t.Errorf("the load generator gets %s", got)
	}
	if got := strings.Join(added(target.Tools.Environ()), " "); got !=
		"PLINTH_REDIS_DB=3 PLINTH_REDIS_USER=u PLINTH_REDIS_PASSWORD=hush REDISCLI_AUTH=hush PLINTH_REDIS_HOST=h PLINTH_REDIS_PORT=7" {
		t.Errorf("tools get %s", got)
	}
	own := newOwn(t, ownConfig(t), oneInstalled(t))
	if got := added(own.Target().Tools.Environ()); len(got) != 1 || got[0] != "PLINTH_REDIS_SOCKET="+filepath.Join(own.SocketDir, socketName) {
		t.Errorf("tools get %s", got)
	}
}
