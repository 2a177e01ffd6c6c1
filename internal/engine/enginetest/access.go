package enginetest

import (
	"context"
	"encoding/json"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"plinth/internal/engine"
)

// Reached is a kind of plinth's own servers that load generators on other machines reach, and what
// the suite must know about it.
type Reached struct {
	// New creates a server that is not started, and returns the directories where it keeps its
	// files. The suite removes the server.
	New func(t *testing.T, access *engine.Access) (server engine.Server, directories []string)

	// Try connects as a driver on another machine would, with nothing but the target and a dialer
	// that has the driver's address, and sends a request.
	Try func(t *testing.T, target engine.Target, dialer *net.Dialer) error

	// Drive drives the dataset, as a driver on the server's machine would.
	Drive func(t *testing.T, target engine.Target)

	// KillServer ends the whole server with SIGKILL, and returns after its exit.
	KillServer func(t *testing.T, server engine.Server)

	PID      func(server engine.Server) int // of the server's first process
	Password string                         // the name of the variable that holds the password
	Open     bool                           // it cannot restrict the addresses of its clients
}

// Addresses of this machine that stand for those of others.
var (
	serverAddress   = netip.MustParseAddr("127.0.0.2")
	driverAddress   = netip.MustParseAddr("127.0.0.3")
	strangerAddress = netip.MustParseAddr("127.0.0.4")
)

// RunAccess runs the suite of servers that load generators on other machines reach.
func RunAccess(t *testing.T, kind Reached) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute) // only ends a hang
	t.Cleanup(cancel)
	r := &reached{Reached: kind, ctx: ctx}
	r.server, r.directories = kind.New(t, &engine.Access{Address: serverAddress, Drivers: []netip.Addr{driverAddress}})
	t.Cleanup(func() {
		if err := r.server.Remove(context.Background()); err != nil {
			t.Errorf("Remove at the end: %v", err)
		}
	})
	if follower, able := r.server.(engine.LogFollower); able {
		follower.FollowLog(r.note)
	}
	for _, step := range []struct {
		name string
		test func(*testing.T)
	}{
		{"start", r.start}, {"stop and start", r.stopAndStart}, {"killed server", r.killedServer}, {"crash", r.crash},
		{"load again", r.loadAgain}, {"secrets", r.secrets}, {"remove", r.remove}, {"driven", r.driven},
		{"IPv6", r.versionSix}, {"impossible addresses", r.impossible},
	} {
		if !t.Run(step.name, step.test) {
			return
		}
	}
}

type reached struct {
	Reached
	ctx         context.Context
	server      engine.Server
	directories []string
	target      engine.Target // as it was after the first start

	mutex sync.Mutex
	log   strings.Builder
}

func (r *reached) note(_ time.Time, line string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.log.WriteString(line + "\n")
}

func (r *reached) start(t *testing.T) {
	must(t, "Start", r.server.Start(r.ctx))
	must(t, "Load", r.server.Load(r.ctx, nil))
	r.target = r.server.Target()
	r.mustBeReached(t)
}

// mustBeReached checks who reaches the server, and where it listens.
func (r *reached) mustBeReached(t *testing.T) {
	t.Helper()
	target := r.server.Target()
	if target.Conninfo != r.target.Conninfo || !slices.Equal(target.Env.Set, r.target.Env.Set) {
		t.Errorf("load generators reached it at %s, and now at %s", r.target.Conninfo, target.Conninfo)
	}
	must(t, "a driver", r.try(t, target, driverAddress))
	r.mustRefuse(t, "a wrong password", r.withPassword(target, "wr0ng"), driverAddress)
	r.mustRefuse(t, "no password", r.withPassword(target, ""), driverAddress)
	if !r.Open {
		r.mustRefuse(t, "a stranger", target, strangerAddress)
		r.mustRefuse(t, "its own machine", target, serverAddress)
	}
	for _, variable := range target.Tools.Set {
		if strings.Contains(variable, serverAddress.String()) {
			t.Errorf("tools on the server's machine reach it by %s, not through the socket", variable)
		}
	}
	listening := listeners(t, r.PID(r.server))
	if len(listening) != 1 || listening[0].Addr() != serverAddress || !strings.Contains(target.Conninfo, strconv.Itoa(int(listening[0].Port()))) {
		t.Errorf("the server listens on %v, and its target is %s", listening, target.Conninfo)
	}
}

func (r *reached) try(t *testing.T, target engine.Target, from netip.Addr) error {
	t.Helper()
	return r.Try(t, target, &net.Dialer{LocalAddr: net.TCPAddrFromAddrPort(netip.AddrPortFrom(from, 0))})
}

func (r *reached) mustRefuse(t *testing.T, who string, target engine.Target, from netip.Addr) {
	t.Helper()
	if err := r.try(t, target, from); err == nil {
		t.Errorf("%s is admitted", who)
	} else {
		t.Logf("%s: %v", who, err)
	}
}

// password returns the password of a target.
func (r *reached) password(t *testing.T, target engine.Target) string {
	t.Helper()
	for _, variable := range target.Env.Set {
		if password, found := strings.CutPrefix(variable, r.Password+"="); found {
			return password
		}
	}
	t.Fatalf("the target has no %s", r.Password)
	return ""
}

func (r *reached) withPassword(target engine.Target, password string) engine.Target {
	target.Env.Set = []string{r.Password + "=" + password}
	return target
}

func (r *reached) stopAndStart(t *testing.T) {
	must(t, "Stop", r.server.Stop(r.ctx))
	if r.try(t, r.target, driverAddress) == nil {
		t.Error("a driver reaches a stopped server")
	}
	must(t, "Start", r.server.Start(r.ctx))
	must(t, "Start of a running server", r.server.Start(r.ctx))
	r.mustBeReached(t)
}

func (r *reached) killedServer(t *testing.T) {
	r.KillServer(t, r.server)
	must(t, "Start", r.server.Start(r.ctx))
	r.mustBeReached(t)
}

func (r *reached) crash(t *testing.T) {
	crasher := r.server.(engine.Crasher)
	must(t, "Kill", crasher.Kill(r.ctx))
	_, err := crasher.Recover(r.ctx)
	must(t, "Recover", err)
	r.mustBeReached(t)
}

func (r *reached) loadAgain(t *testing.T) {
	must(t, "Load", r.server.Load(r.ctx, nil))
	r.mustBeReached(t)
}

// secrets checks that the password is in no record, log, file or command line.
func (r *reached) secrets(t *testing.T) {
	e, err := r.server.Describe(r.ctx)
	must(t, "Describe", err)
	if e.Transport != "tcp" || !strings.HasPrefix(e.Address, serverAddress.String()+":") {
		t.Errorf("described as reached by %s at %s", e.Transport, e.Address)
	}
	text, err := json.Marshal(e)
	must(t, "Marshal", err)
	r.mutex.Lock()
	log := r.log.String()
	r.mutex.Unlock()
	seen := map[string]string{"the record": string(text), "the log": log, "the address": r.target.Conninfo}
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	must(t, "Glob", err)
	for _, path := range lines {
		line, _ := os.ReadFile(path) // the process may be gone
		seen[path] = string(line)
	}
	for _, dir := range r.directories {
		must(t, "WalkDir", filepath.WalkDir(dir, func(path string, d os.DirEntry, _ error) error {
			if d != nil && d.Type().IsRegular() {
				text, _ := os.ReadFile(path) // the server may remove it meanwhile
				seen[path] = string(text)
			}
			return nil
		}))
	}
	if log == "" || len(seen) < 10 {
		t.Errorf("the test sees nothing: %d texts, and the log %q", len(seen), log)
	}
	password := r.password(t, r.target)
	if len(password) < 50 {
		t.Errorf("the password has %d characters", len(password))
	}
	for where, text := range seen {
		if strings.Contains(text, password) {
			t.Errorf("the password is to be seen in %s", where)
		}
	}
}

func (r *reached) remove(t *testing.T) {
	must(t, "Remove", r.server.Remove(r.ctx))
	must(t, "Remove of a removed server", r.server.Remove(r.ctx))
	if r.try(t, r.target, driverAddress) == nil {
		t.Error("a driver reaches a removed server")
	}
}

// driven uses a driver that runs on the server's machine, and connects from the server's address.
func (r *reached) driven(t *testing.T) {
	loopback := netip.MustParseAddr("127.0.0.1")
	r.driveAt(t, &engine.Access{Address: loopback, Drivers: []netip.Addr{loopback}})
}

func (r *reached) versionSix(t *testing.T) {
	loopback := netip.IPv6Loopback()
	if listener, err := net.Listen("tcp6", "[::1]:0"); err != nil {
		t.Skip("this machine has no IPv6")
	} else {
		_ = listener.Close()
	}
	r.driveAt(t, &engine.Access{Address: loopback, Drivers: []netip.Addr{loopback}})
}

func (r *reached) driveAt(t *testing.T, access *engine.Access) {
	server, _ := r.New(t, access)
	t.Cleanup(func() {
		if err := server.Remove(context.Background()); err != nil {
			t.Errorf("Remove: %v", err)
		}
	})
	must(t, "Start", server.Start(r.ctx))
	must(t, "Load", server.Load(r.ctx, nil))
	if listening := listeners(t, r.PID(server)); len(listening) != 1 || listening[0].Addr() != access.Address {
		t.Errorf("the server listens on %v", listening)
	}
	if !strings.Contains(server.Target().Conninfo, access.Address.String()) {
		t.Errorf("the target is %s", server.Target().Conninfo)
	}
	r.Drive(t, server.Target())
	must(t, "Check", server.Check(r.ctx))
}

// impossible checks that a server listens on no more than one address, and on none of another
// machine.
func (r *reached) impossible(t *testing.T) {
	for _, address := range []netip.Addr{{}, netip.IPv4Unspecified(), netip.IPv6Unspecified(), netip.MustParseAddr("192.0.2.1")} {
		server, _ := r.New(t, &engine.Access{Address: address})
		if err := server.Start(r.ctx); err == nil || !strings.Contains(err.Error(), "cannot listen on") {
			t.Errorf("Start with the address %q: %v", address, err)
		}
		must(t, "Remove", server.Remove(r.ctx))
	}
}
