//go:build linux

package postgres

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"plinth/internal/engine"
	"plinth/internal/engine/enginetest"
	"plinth/internal/experiment"
)

func TestAccess(t *testing.T) {
	t.Parallel()
	for _, programs := range testPrograms(t) {
		t.Run(strconv.Itoa(programs.Version), func(t *testing.T) {
			t.Parallel()
			enginetest.RunAccess(t, enginetest.Reached{
				New: func(t *testing.T, access *engine.Access) (engine.Server, []string) {
					config := ownConfig(t, programs)
					config.Access = access
					config.Experiment.Settings["log_statement"] = "all"
					config.Experiment.Settings["log_connections"] = "on"
					config.Experiment.Settings["synchronous_commit"] = "off"
					return newServer(t, config), []string{config.DataDir, config.SocketDir, config.Scratch}
				},
				Try: tryFrom, Drive: drive, KillServer: killPostmaster,
				PID:      func(server engine.Server) int { return server.(*Own).process.PID() },
				Password: "PGPASSWORD",
			})
		})
	}
}

// tryFrom connects as a driver on another machine would.
func tryFrom(t *testing.T, target engine.Target, dialer *net.Dialer) error {
	t.Helper()
	config := wayTo(t, target)
	config.DialFunc = dialer.DialContext
	conn, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(t.Context()) }()
	_, err = conn.Exec(t.Context(), "UPDATE pgbench_tellers SET tbalance = 0 WHERE tid = 1")
	return err
}

// TestOwnServerWithAccess runs the conformance suite over TCP.
func TestOwnServerWithAccess(t *testing.T) {
	t.Parallel()
	loopback := netip.MustParseAddr("127.0.0.1")
	enginetest.Run(t, enginetest.Kind{
		New: func(t *testing.T) engine.Server {
			config := ownConfig(t, oneInstalled(t))
			config.Access = &engine.Access{Address: loopback, Drivers: []netip.Addr{loopback}}
			addOwnTable(config.Experiment)
			return newServer(t, config)
		},
		Rows: countAllRows, Dataset: dataset, Resets: resets, Places: places, Drive: drive, KillServer: killPostmaster, KillBackend: killBackend,
		PID:   func(server engine.Server) int { return server.(*Own).process.PID() },
		Event: event, Refused: refused, Endless: endless,
		Traces: func(t *testing.T, server engine.Server) func() []string { return ownTraces(t, server.(*Own)) },
	})
}

// TestEncryptedAccess checks that the load reaches a server by TLS alone if the environment says so.
func TestEncryptedAccess(t *testing.T) {
	t.Parallel()
	loopback := netip.MustParseAddr("127.0.0.1")
	config := ownConfig(t, oneInstalled(t))
	config.Access = &engine.Access{Address: loopback, Drivers: []netip.Addr{loopback}}
	config.Environment.Transport = experiment.TransportTLS
	server := newServer(t, config)
	if err := server.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := server.Load(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	described, err := server.Describe(t.Context())
	if err != nil || described.Transport != "tls" || described.Settings["ssl"] != "on" {
		t.Errorf("described as reached by %s, with ssl %s: %v", described.Transport, described.Settings["ssl"], err)
	}
	target := server.Target()
	drive(t, target)
	if err := tryFrom(t, target, &net.Dialer{}); err != nil {
		t.Errorf("with TLS: %v", err)
	}
	target.Conninfo = strings.Replace(target.Conninfo, "sslmode=require", "sslmode=disable", 1)
	if err := tryFrom(t, target, &net.Dialer{}); err == nil || !strings.Contains(err.Error(), "no pg_hba.conf entry") {
		t.Errorf("without TLS: %v", err)
	}
}

// TestReplicaBesideAccess checks that a replica follows a server that load generators elsewhere
// reach, also after the server was restarted.
func TestReplicaBesideAccess(t *testing.T) {
	t.Parallel()
	loopback := netip.MustParseAddr("127.0.0.1")
	enginetest.RunPair(t, enginetest.Pair{
		New: func(t *testing.T) (primary, replica engine.Server) {
			p, r := pairConfigs(t, oneInstalled(t))
			addOwnTable(p.Experiment)
			p.Access = &engine.Access{Address: loopback, Drivers: []netip.Addr{loopback}}
			return newServer(t, p), newServer(t, r)
		},
		Rows: countOwnRows, Drive: driveOwn, Write: writeOwn,
	})
}

// TestPortInUse checks the advice if another program listens on the server's port after all.
func TestPortInUse(t *testing.T) {
	t.Parallel()
	config := bareConfig(t, oneInstalled(t))
	config.Access = &engine.Access{Address: netip.MustParseAddr("127.0.0.2")}
	own := newServer(t, config)
	t.Cleanup(func() { must(t, own.Remove(context.Background())) })
	must(t, own.reservePort())
	other, err := net.Listen("tcp4", own.access.port.String())
	must(t, err)
	defer func() { _ = other.Close() }()
	mustRefuse(t, own.Start(t.Context()), "cannot start PostgreSQL: FATAL: could not create any TCP/IP sockets", "another port")
}

// TestVerifier checks the keys with the exchange in RFC 7677, section 3.
func TestVerifier(t *testing.T) {
	const (
		salt    = "W22ZaJ0SNY7soEsUEjb6gQ=="
		message = "n=user,r=rOprNGfwEbeRWgbNEkqO,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=" + salt +
			",i=4096,c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
		proof, signature = "dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=", "6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="
	)
	bytes := func(text string) []byte {
		t.Helper()
		raw, err := base64.StdEncoding.DecodeString(text)
		must(t, err)
		return raw
	}
	text, err := verifier("pencil", bytes(salt))
	must(t, err)
	parts := strings.FieldsFunc(text, func(r rune) bool { return r == '$' || r == ':' })
	if len(parts) != 5 || parts[0] != "SCRAM-SHA-256" || parts[1] != "4096" || parts[2] != salt {
		t.Fatalf("the verifier is %s", text)
	}
	sign := func(key []byte) []byte {
		mac := hmac.New(sha256.New, key)
		_, _ = mac.Write([]byte(message))
		return mac.Sum(nil)
	}
	if got := base64.StdEncoding.EncodeToString(sign(bytes(parts[4]))); got != signature {
		t.Errorf("the server's signature is %s, want %s", got, signature)
	}
	client := bytes(proof) // the client's key, combined with its signature
	for i, b := range sign(bytes(parts[3])) {
		client[i] ^= b
	}
	if stored := sha256.Sum256(client); base64.StdEncoding.EncodeToString(stored[:]) != parts[3] {
		t.Errorf("the stored key is %s, and does not fit the client's proof", parts[3])
	}
}
