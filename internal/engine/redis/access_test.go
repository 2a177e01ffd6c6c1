//go:build linux

package redis

import (
	"net"
	"net/netip"
	"testing"

	"plinth/internal/engine"
	"plinth/internal/engine/enginetest"
	"plinth/internal/engine/redis/client"
	"plinth/internal/experiment"
)

func TestAccess(t *testing.T) {
	for _, program := range testPrograms(t) {
		t.Run(program.Name+"-"+program.VersionText, func(t *testing.T) {
			t.Parallel()
			enginetest.RunAccess(t, enginetest.Reached{
				New: func(t *testing.T, access *engine.Access) (engine.Server, []string) {
					config := ownConfig(t, "appendonly", "yes")
					config.Access = access
					return newOwn(t, config, program), []string{config.Dir(experiment.RoleData), config.SocketDir, config.Scratch}
				},
				Try: tryFrom, Drive: drive, KillServer: killServer,
				PID:      func(server engine.Server) int { return server.(*Own).process.PID() },
				Password: client.PasswordVariable, Open: true,
			})
		})
	}
}

// tryFrom connects as a driver on another machine would.
func tryFrom(t *testing.T, target engine.Target, dialer *net.Dialer) error {
	t.Helper()
	options, _ := wayTo(t, target)
	options.Dialer = dialer.DialContext
	rdb := client.New(options)
	defer func() { _ = rdb.Close() }()
	return rdb.Set(t.Context(), "tried", "1", 0).Err()
}

// TestOwnServerWithAccess runs the conformance suite over TCP.
func TestOwnServerWithAccess(t *testing.T) {
	t.Parallel()
	loopback := netip.MustParseAddr("127.0.0.1")
	enginetest.Run(t, enginetest.Kind{
		New: func(t *testing.T) engine.Server {
			config := ownConfig(t, "appendonly", "yes", "appendfsync", "always", "save", "3600 1 300 100")
			config.Access = &engine.Access{Address: loopback, Drivers: []netip.Addr{loopback}}
			return newOwn(t, config, oneInstalled(t))
		},
		Rows: countKeys, Dataset: dataset, Resets: []string{resetReload}, Keeps: []string{resetRewrite},
		Places: aofFiles, Drive: drive, KillServer: killServer,
		PID:   func(server engine.Server) int { return server.(*Own).process.PID() },
		Event: event, Refused: refused, Endless: endless,
		Traces: func(t *testing.T, server engine.Server) func() []string { return ownTraces(t, server.(*Own)) },
	})
}

// TestReplicaBesideAccess checks that a replica follows a server that load generators elsewhere
// reach, through the same address, also after the server was restarted.
func TestReplicaBesideAccess(t *testing.T) {
	for _, program := range testPrograms(t) {
		t.Run(program.Name+"-"+program.VersionText, func(t *testing.T) {
			t.Parallel()
			enginetest.RunPair(t, enginetest.Pair{
				New: func(t *testing.T) (primary, replica engine.Server) {
					p, r := newPair(t, program, "appendonly", "yes")
					p.Access = &engine.Access{Address: netip.MustParseAddr("127.0.0.2")}
					return p, r
				},
				Rows: countKeys, Drive: drive,
				Write: func(t *testing.T, target engine.Target) error {
					rdb, _ := reach(t, target)
					return rdb.Set(t.Context(), "written", "1", 0).Err()
				},
			})
		})
	}
}

// TestPortInUse checks the advice if another program listens on the server's port after all.
func TestPortInUse(t *testing.T) {
	for _, program := range testPrograms(t) {
		t.Run(program.Name+"-"+program.VersionText, func(t *testing.T) {
			t.Parallel()
			config := ownConfig(t)
			config.Access = &engine.Access{Address: netip.MustParseAddr("127.0.0.2")}
			own := newOwn(t, config, program)
			must(t, own.reservePort())
			other, err := net.Listen("tcp4", own.port.String())
			must(t, err)
			defer func() { _ = other.Close() }()
			mustRefuse(t, own.Start(t.Context()), "Address already in use", "another port")
		})
	}
}
