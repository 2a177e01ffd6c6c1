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
		{"nobody there", "postgresql://loader:wr0ng@127.0.0.1:1/postgres", "cannot connect to 127.0.0.1:1 as loader: connect: connection refused", "check that the server is running"},
		{"no such socket", strings.Replace(socket, fmt.Sprint(s.port), fmt.Sprint(other), 1) + "boss",
			fmt.Sprintf("cannot connect to %s/.s.PGSQL.%d as boss: connect: no such file", s.socketDir, other), "check that a server with that port"},
		{"wrong password", fmt.Sprintf("postgresql://loader:wr0ng@127.0.0.1:%d/postgres", s.port), "password authentication failed", "PGPASSWORD"},
		{"no role", socket + "nobody", `role "nobody" does not exist`, "use an existing role"},
		{"no login", socket + "barred", `role "barred" is not permitted to log in`, "that may log in"},
		{"no TLS", s.uri("loader") + "?sslmode=require", "the server does not support TLS", "leave sslmode out"},
		{"another protocol", "postgresql://loader:wr0ng@" + otherProtocol(t) + "/postgres", "the service at that address is not a PostgreSQL server", "check the port"},
		{"no host", "postgresql://loader@nowhere.invalid/postgres", "as loader: lookup nowhere.invalid", "check the host name"},
		{"no database", strings.Replace(s.uri("loader"), "/postgres", "/none", 1), `database "none" does not exist`, "give the name of an existing database"},
		{"several", "host=a,b user=x password=wr0ng", "names several servers", "give only the server"},
		{"misspelt", "host=a passwrd=wr0ng", `has an unknown parameter "passwrd"`, "did you mean password?"},
		{"open quote", "host='a password=wr0ng", "has a quote that is never closed", ""},
		{"port too large", "postgresql://u@localhost:99999/db", "the connection string has an invalid port", "from 1 to 65535"},
		{"a password as port", "postgresql://loader:wr0ng/db", "the connection string has an invalid port", "user:password@host"},
		{"timeout", socket + "boss connect_timeout=abc", "has a connect_timeout that is not a number of seconds", "connect_timeout=5"},
		{"sslmode", socket + "boss sslmode=maybe", "has an unknown sslmode", "it can be disable, allow"},
		{"service", "service=nosuch", "cannot read the connection string", "as a section of"},
		{"channel binding", socket + "boss channel_binding=odd", "cannot read the connection string", "check its values"},
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
