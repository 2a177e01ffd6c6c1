package postgres

import (
	"context"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/netip"
	"os"
	"strconv"
	"strings"

	"plinth/internal/conninfo"
	"plinth/internal/engine"
	"plinth/internal/engine/life"
	"plinth/internal/engine/postgres/client"
	"plinth/internal/engine/postgres/install"
	"plinth/internal/host/launch"
)

// access is how load generators on other machines reach the server.
type access struct {
	port     *life.Port // nil before Start
	password string     // "" until the server has it
}

// socketPort is the port in the name of a socket without a TCP port beside it.
const socketPort = 5432

// portNumber returns the server's port, which is also part of the name of its socket.
func (o *Own) portNumber() uint16 {
	if o.access.port == nil {
		return socketPort
	}
	return o.access.port.Port()
}

// socket returns how plinth reaches the server.
func (o *Own) socket() conninfo.Parameters {
	return conninfo.Parameters{}.With("host", o.SocketDir).With("port", strconv.Itoa(int(o.portNumber()))).With("user", "plinth")
}

// reservePort reserves the port on which load generators on other machines reach the server, if
// there are any. The port stays the same until Remove.
func (o *Own) reservePort() (err error) {
	if o.Access == nil || o.access.port != nil {
		return nil
	}
	if o.access.port, err = life.ReservePort(o.Access.Address); err != nil {
		return fmt.Errorf("cannot start PostgreSQL: %w", err)
	}
	o.aim()
	return nil
}

// releasePort ends the reservation.
func (o *Own) releasePort() error {
	port := o.access.port
	if port == nil {
		return nil
	}
	o.access.port = nil
	return port.Release()
}

// aim updates how plinth and tools reach the server.
func (o *Own) aim() {
	info := o.socket().With("dbname", o.name)
	o.config.Port = o.portNumber()
	o.target = engine.Target{Conninfo: info.String(), Env: o.env, Tools: launch.Variables{Without: install.Alone.Without, Set: client.Variables(info)}}
}

// Target returns how a driver reaches the dataset: by TCP if load generators on other machines do,
// else through the socket.
func (o *Own) Target() engine.Target {
	port := o.access.port
	if port == nil {
		return o.target
	}
	info := conninfo.Parameters{}.With("host", port.Addr().String()).With("port", strconv.Itoa(int(port.Port()))).
		With("user", "plinth").With("dbname", o.name).With("sslmode", o.sslMode())
	return engine.Target{
		Conninfo: info.String(), Tools: o.target.Tools,
		Env: launch.Variables{Without: install.Alone.Without, Set: []string{"PGPASSWORD=" + o.access.password}},
	}
}

// writeAdmission replaces pg_hba.conf, in which initdb also admits all users of the machine by TCP.
//
// https://www.postgresql.org/docs/current/auth-pg-hba-conf.html
func (o *Own) writeAdmission() error {
	if o.Access == nil {
		return nil
	}
	var text strings.Builder
	text.WriteString("# written by plinth\nlocal all all trust\nlocal replication all trust\n")
	for _, driver := range o.Access.Drivers {
		driver = driver.Unmap()
		fmt.Fprintf(&text, "%s all plinth %s scram-sha-256\n", o.hostLine(), netip.PrefixFrom(driver, driver.BitLen()))
	}
	return o.write("pg_hba.conf", os.O_TRUNC, text.String())
}

// setPassword gives the server a password for load generators on other machines, unless it has one.
// The server is sent a verifier in place of the password, which its log or statistics could show.
func (o *Own) setPassword(ctx context.Context) error {
	if o.owner != nil {
		o.access.password = o.owner.access.password
	}
	if o.Access == nil || o.access.password != "" {
		return nil
	}
	password, salt := life.NewPassword(), make([]byte, 16)
	_, _ = rand.Read(salt) // never fails (crypto/rand)
	secret, err := verifier(password, salt)
	if err == nil {
		// It is durable, whatever the experiment sets, and waits for no replica.
		err = o.exec(ctx, "", "BEGIN; SET LOCAL synchronous_commit = local; ALTER ROLE plinth PASSWORD '"+secret+"'; COMMIT")
	}
	if err != nil {
		return fmt.Errorf("cannot set the password for load generators on other machines: %w", o.because(ctx, err))
	}
	o.access.password = password
	return nil
}

// scramIterations is PostgreSQL's default, so that a new connection costs what it usually does.
const scramIterations = 4096

// verifier returns what PostgreSQL stores in place of a password in ASCII.
//
// https://www.postgresql.org/docs/current/catalog-pg-authid.html
// https://www.rfc-editor.org/rfc/rfc5802#section-3
func verifier(password string, salt []byte) (string, error) {
	salted, err := pbkdf2.Key(sha256.New, password, salt, scramIterations, sha256.Size)
	if err != nil {
		return "", err
	}
	key := func(name string) []byte {
		mac := hmac.New(sha256.New, salted)
		_, _ = mac.Write([]byte(name)) // never fails (hash)
		return mac.Sum(nil)
	}
	stored, text := sha256.Sum256(key("Client Key")), base64.StdEncoding.EncodeToString
	return fmt.Sprintf("SCRAM-SHA-256$%d:%s$%s:%s", scramIterations, text(salt), text(stored[:]), text(key("Server Key"))), nil
}
