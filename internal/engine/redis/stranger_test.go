//go:build linux

package redis

import (
	"fmt"
	"path/filepath"
	"syscall"
	"testing"

	goredis "github.com/redis/go-redis/v9"

	"plinth/internal/engine/life"
	"plinth/internal/engine/redis/client"
	"plinth/internal/host/launch"
)

// stranger is a server that plinth did not create: it listens on loopback, requires a password
// there, and its user loader may use some keys only.
type stranger struct {
	program     Program
	dir, socket string
	port        int
	more        []string
	process     launch.Process
}

const (
	strangerPassword    = `s3cr@t /'\x`
	strangerPasswordURI = `s3cr%40t%20%2F%27%5Cx`
)

func startStranger(t *testing.T, program Program, more ...string) *stranger {
	t.Helper()
	port, err := freePort()
	must(t, err)
	s := &stranger{program: program, dir: testDir(t), port: port, more: more}
	s.socket = filepath.Join(s.dir, "s")
	s.start(t)
	t.Cleanup(func() { _ = s.process.Stop() })
	return s
}

func (s *stranger) start(t *testing.T) {
	t.Helper()
	var err error
	s.process, err = launcher.Start(launch.Command{
		Path: s.program.Path, Env: client.Environ(), Dir: s.dir, User: testUser(t), Stop: syscall.SIGKILL,
		Args: append([]string{"--port", fmt.Sprint(s.port), "--bind", "127.0.0.1", "--unixsocket", s.socket, "--save", "",
			"--requirepass", strangerPassword}, s.more...),
	})
	must(t, err)
	rdb := s.client(t)
	must(t, life.Poll(t.Context(), patience, func() bool { return rdb.Ping(t.Context()).Err() == nil }))
	must(t, rdb.Do(t.Context(), "ACL", "SETUSER", "loader", "on", ">"+strangerPassword, "~plinth:*", "+@all", "-@dangerous", "+info", "+config|get", "+keys").Err())
}

func (s *stranger) client(t *testing.T) *goredis.Client {
	rdb := client.New(client.UnixOptions(s.socket, strangerPassword))
	t.Cleanup(func() { _ = rdb.Close() })
	return rdb
}

func (s *stranger) set(t *testing.T, key, value string) {
	t.Helper()
	must(t, s.client(t).Set(t.Context(), key, value, 0).Err())
}

// keys returns the keys of all databases that plinth's tests use.
func (s *stranger) keys(t *testing.T, pattern string) (all []string) {
	t.Helper()
	for _, db := range []int{0, 2} {
		o := client.UnixOptions(s.socket, strangerPassword)
		o.DB = db
		rdb := client.New(o)
		keys, err := rdb.Keys(t.Context(), pattern).Result()
		must(t, err)
		all = append(all, keys...)
		must(t, rdb.Close())
	}
	return all
}

func (s *stranger) kill(t *testing.T) {
	t.Helper()
	must(t, s.process.Signal(syscall.SIGKILL))
	<-s.process.Done()
}
