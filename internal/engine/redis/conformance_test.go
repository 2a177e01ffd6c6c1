//go:build linux

package redis

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"plinth/internal/conninfo"
	"plinth/internal/engine"
	"plinth/internal/engine/enginetest"
	"plinth/internal/experiment"
)

func TestOwnServers(t *testing.T) {
	for _, program := range testPrograms(t) {
		t.Run(program.Name+"-"+program.VersionText, func(t *testing.T) {
			t.Parallel()
			enginetest.Run(t, enginetest.Kind{
				New: func(t *testing.T) engine.Server {
					// always: acknowledged writes survive a kill. Save points: saves are counted,
					// too.
					return newOwn(t, ownConfig(t, "appendonly", "yes", "appendfsync", "always", "save", "3600 1 300 100"), program)
				},
				Rows: countKeys, Dataset: dataset, Resets: []string{resetReload}, Keeps: []string{resetRewrite},
				Places: aofFiles, Drive: drive, KillServer: killServer,
				PID:   func(server engine.Server) int { return server.(*Own).process.PID() },
				Event: event, Refused: refused, Endless: endless,
				Traces: func(t *testing.T, server engine.Server) func() []string { return ownTraces(t, server.(*Own)) },
			})
		})
	}
}

const (
	event   = "CONFIG SET maxmemory-samples 5\nMEMORY DOCTOR"
	refused = "BGSAVE NEVER"
	endless = "BLPOP nothing-here 300"
)

var dataset = enginetest.Dataset{
	Rows: smallKeys, Bytes: 2000 * 1000, Noise: noise, Step: "keys", StepRows: 2000, Settings: 100,
}

func countKeys(t *testing.T, target engine.Target) int64 {
	t.Helper()
	rdb, prefix := reach(t, target)
	keys, err := rdb.Keys(t.Context(), escapePattern(prefix)+"*").Result()
	must(t, err)
	return int64(len(keys))
}

// drive writes a key outside of the dataset, and others.
func drive(t *testing.T, target engine.Target) {
	t.Helper()
	rdb, prefix := reach(t, target)
	for i := range 20 {
		must(t, rdb.Set(t.Context(), prefix+"driven:"+fmt.Sprint(i), "1", 0).Err())
	}
	must(t, rdb.Set(t.Context(), fmt.Sprintf("%sdriven:%p", prefix, &target), "1", 0).Err())
}

// aofFiles returns the files that a rewrite of the append-only file has created, each with its
// modification time.
func aofFiles(t *testing.T, target engine.Target) (places []string) {
	t.Helper()
	rdb, _ := reach(t, target)
	dir := rdb.ConfigGet(t.Context(), "dir").Val()["dir"]
	files, err := filepath.Glob(filepath.Join(dir, "append*", "*.base.*")) // from Redis 7 on
	must(t, err)
	for _, file := range append(files, filepath.Join(dir, "appendonly.aof")) {
		if info, err := os.Stat(file); err == nil {
			places = append(places, fmt.Sprintf("%s of %s", file, info.ModTime()))
		}
	}
	if len(places) == 0 {
		t.Errorf("no append-only file in %s", dir)
	}
	return places
}

func killServer(t *testing.T, server engine.Server) {
	process := server.(*Own).process
	must(t, process.Signal(syscall.SIGKILL))
	<-process.Done()
}

// ownTraces lists the processes and the socket of a running server.
func ownTraces(t *testing.T, own *Own) func() []string {
	t.Helper()
	leader := own.process.PID()
	return func() (left []string) {
		for _, one := range members(leader, own.process.Place) {
			left = append(left, fmt.Sprintf("process %d", one))
		}
		if _, err := os.Stat(own.Options.Addr); err == nil {
			left = append(left, own.Options.Addr)
		}
		return left
	}
}

func TestReplicas(t *testing.T) {
	for _, program := range testPrograms(t) {
		t.Run(program.Name+"-"+program.VersionText, func(t *testing.T) {
			t.Parallel()
			enginetest.RunPair(t, enginetest.Pair{
				New: func(t *testing.T) (primary, replica engine.Server) {
					return newPair(t, program, "appendonly", "yes")
				},
				Rows: countKeys, Drive: drive,
				Write: func(t *testing.T, target engine.Target) error {
					rdb, _ := reach(t, target)
					return rdb.Set(t.Context(), "written", "1", 0).Err()
				},
				Lonely: func(t *testing.T) engine.Server { return newOwn(t, ownConfig(t), program) },
			})
		})
	}
}

// newPair creates a server whose environment has a replica, and the replica's server.
func newPair(t *testing.T, program Program, settings ...string) (primary, replica *Own) {
	t.Helper()
	config := ownConfig(t, settings...)
	config.Environment.Replica.Storage = experiment.Storage{Data: experiment.Volume{Directory: "."}}
	if !config.Environment.Replica.There() {
		t.Fatal("the environment has no replica: the test is no test")
	}
	second := ownConfig(t, settings...)
	second.Environment = experiment.ReplicaOf(config.Environment)
	return newOwn(t, config, program), newOwn(t, second, program)
}

func TestConnectedServers(t *testing.T) {
	for _, kind := range []string{"socket", "tcp", "acl"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := startStranger(t, oneInstalled(t))
			connect := map[string]string{
				"socket": "unix://" + s.socket + "?db=0",
				"tcp":    fmt.Sprintf("redis://:%s@127.0.0.1:%d/0", strangerPasswordURI, s.port),
				"acl":    fmt.Sprintf("redis://loader:%s@127.0.0.1:%d/2", strangerPasswordURI, s.port),
			}[kind]
			if kind == "socket" {
				connect = fmt.Sprintf("unix://loader:%s@%s?db=0", strangerPasswordURI, s.socket)
			}
			s.set(t, "precious", "data")
			enginetest.Run(t, enginetest.Kind{
				New:  func(t *testing.T) engine.Server { return newConnected(t, connect) },
				Rows: countKeys, Dataset: dataset, Resets: []string{resetReload}, Keeps: []string{resetRewrite}, Drive: drive,
				KillServer: func(t *testing.T, _ engine.Server) { s.kill(t) },
				Revive:     func(t *testing.T) { s.start(t); s.set(t, "precious", "data") },
				Event:      "PING", Refused: "FLUSHALL", Endless: "BLPOP plinth:test1:nothing-here 300",
				Traces: func(t *testing.T, server engine.Server) func() []string {
					must(t, server.Load(t.Context(), nil))
					return func() []string { return s.keys(t, keyPrefix+"*") }
				},
				Secrets: []string{strangerPassword, strangerPasswordURI},
			})
			if s.client(t).Get(t.Context(), "precious").Val() != "data" {
				t.Error("a key that was not plinth's is gone")
			}
		})
	}
}

func newConnected(t *testing.T, connect string) *Connected {
	t.Helper()
	c, err := NewConnected(connectedConfig(t, connect))
	must(t, err)
	return c
}

func connectedConfig(t *testing.T, connect string) engine.Config {
	return engine.Config{
		Experiment: smallExperiment(), Launcher: launcher, Journal: testJournal(t), RunID: "test1", Scratch: t.TempDir(),
		Environment: experiment.Environment{Name: "there", Connect: conninfo.Conninfo(connect), Disposable: true},
	}
}
