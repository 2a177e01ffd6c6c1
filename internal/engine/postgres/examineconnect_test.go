//go:build linux

package postgres

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"plinth/internal/conninfo"
	"plinth/internal/engine/postgres/examine"
)

// testRefusals checks that an error says which server could not be reached, why, and what to do;
// on one line, and without the password.
func (s *stranger) testRefusals(t *testing.T) {
	s.exec(t, "CREATE ROLE barred NOLOGIN")
	socket := fmt.Sprintf("host=%s port=%d dbname=postgres user=", s.socketDir, s.port)
	other := freePort(t)
	for _, c := range []struct{ name, conninfo, words, advice string }{
		{"nobody there", "postgresql://loader:wr0ng@127.0.0.1:1/postgres", "cannot connect to 127.0.0.1:1 as loader: connect: connection refused", "is the server up"},
		{"no such socket", strings.Replace(socket, fmt.Sprint(s.port), fmt.Sprint(other), 1) + "boss",
			fmt.Sprintf("cannot connect to %s/.s.PGSQL.%d as boss: connect: no such file", s.socketDir, other), "is there a server with that port"},
		{"wrong password", fmt.Sprintf("postgresql://loader:wr0ng@127.0.0.1:%d/postgres", s.port), "password authentication failed", "PGPASSWORD"},
		{"no role", socket + "nobody", `role "nobody" does not exist`, "name a role that is there"},
		{"no login", socket + "barred", `role "barred" is not permitted to log in`, "that may log in"},
		{"no TLS", s.uri("loader") + "?sslmode=require", "the server has no TLS", "leave sslmode out"},
		{"another protocol", "postgresql://loader:wr0ng@" + otherProtocol(t) + "/postgres", "what answers there is no PostgreSQL server", "is that its port?"},
		{"no host", "postgresql://loader@nowhere.invalid/postgres", "as loader: lookup nowhere.invalid", "is that the host's name?"},
		{"no database", strings.Replace(s.uri("loader"), "/postgres", "/none", 1), `database "none" does not exist`, "name a database that is there"},
		{"several", "host=a,b user=x password=wr0ng", "names several servers", "name the one"},
		{"misspelt", "host=a passwrd=wr0ng", `has an unknown parameter "passwrd"`, "did you mean password?"},
		{"open quote", "host='a password=wr0ng", "has a quote that is never closed", ""},
		{"port too large", "postgresql://u@localhost:99999/db", "the connection string has no port where a port should be", "from 1 to 65535"},
		{"a password as port", "postgresql://loader:wr0ng/db", "the connection string has no port where a port should be", "user:password@host"},
		{"timeout", socket + "boss connect_timeout=abc", "has a connect_timeout that is no number of seconds", "connect_timeout=5"},
		{"sslmode", socket + "boss sslmode=maybe", "has an sslmode that there is not", "it can be disable, allow"},
		{"service", "service=nosuch", "cannot read the connection string", "a service is a section of"},
		{"channel binding", socket + "boss channel_binding=odd", "cannot read the connection string", "can't be understood"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := examine.Read(t.Context(), conninfo.Conninfo(c.conninfo))
			mustRefuse(t, err, c.words, c.advice)
			if strings.ContainsAny(err.Error(), "\n`") {
				t.Errorf("it is in the client library's words: %v", err)
			}
		})
	}
}

// otherProtocol returns the address of a server that speaks another protocol.
func otherProtocol(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 100))
			_, _ = conn.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
			_ = conn.Close()
		}
	}()
	return listener.Addr().String()
}
