package postgres

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"plinth/internal/engine"
	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/record"
)

// ownPort is only a part of the socket's name: nothing listens on a network.
const ownPort = "5432"

// longestSocket is the longest path of a Unix socket, unix(7).
const longestSocket = 107

// Own is a server of plinth's own, made by the installed programs in a directory
// of its own and reached by a private socket.
type Own struct {
	database
	process host.Process // nil when it is not started
	started time.Time    // pg_postmaster_start_time
	place   string       // the data directory without symbolic links
	primary *Own         // whom it follows; nil for nobody
}

var (
	_ engine.Server  = (*Own)(nil)
	_ engine.Doer    = (*Own)(nil)
	_ engine.Crasher = (*Own)(nil)
)

// NewOwn checks the configuration; nothing is made before Start.
func NewOwn(config Config) (*Own, error) {
	socket := filepath.Join(config.SocketDir, ".s.PGSQL."+ownPort)
	switch {
	case len(socket) > longestSocket:
		return nil, fmt.Errorf("cannot use %s for a socket: %d bytes, and %d is the most", socket, len(socket), longestSocket)
	case strings.Contains(config.SocketDir, ","):
		return nil, fmt.Errorf("cannot use %s for a socket: its name has a comma", config.SocketDir)
	}
	if err := checkPlaces(config); err != nil {
		return nil, err
	}
	info := experiment.Parameters{}.With("host", config.SocketDir).With("port", ownPort).With("user", "plinth")
	session, err := connectConfig(info.With("dbname", "postgres").With("sslmode", "disable"))
	if err != nil {
		return nil, err
	}
	// What the environment says of other servers is not for this one.
	session.Password, session.Fallbacks, session.ValidateConnect = "", nil, nil
	session.RequireAuth, session.ChannelBinding = "", "disable"
	session.RuntimeParams = map[string]string{"application_name": "plinth"}
	o := &Own{}
	o.Config, o.name, o.config, o.log = config, "plinth", session, newServerLog()
	o.env = programEnv()
	info = info.With("dbname", o.name)
	o.target = engine.Target{Conninfo: info.String(), Env: o.env, Tools: append(programEnv(), libpqVariables(info)...)}
	return o, nil
}

// Remove ends the server and clears what it left outside of its directories.
func (o *Own) Remove(ctx context.Context) error {
	o.close()
	if err := o.end(); err != nil {
		return err
	}
	o.process = nil
	if o.note == nil {
		return nil
	}
	if err := clearLeftovers(ctx, o.DataDir, o.SocketDir); err != nil {
		return err
	}
	return o.forgetNote()
}

// Describe reads what is really under test.
func (o *Own) Describe(ctx context.Context) (record.Environment, error) {
	e, err := o.describe(ctx, "own")
	if err != nil {
		return e, err
	}
	facts, err := host.ReadFacts()
	e.Dataset.Memory = facts.Memory
	return e, err
}
