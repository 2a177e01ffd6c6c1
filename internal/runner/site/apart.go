package site

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"plinth/internal/conninfo"
	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/record"
	"plinth/internal/runner/observer"
)

// readyToDrive prepares this machine for a load on another machine's server: it checks that the server
// can be reached, and starts to read the machine. It returns how long a connection to the server took.
func (l *Local) readyToDrive(ctx context.Context, o Order) (trip time.Duration, err error) {
	address, over := conninfo.Conninfo(o.Target.Conninfo).TCP()
	var peer netip.AddrPort
	if over {
		if peer, trip, err = reachable(ctx, address); err != nil {
			return 0, err
		}
	}
	beside, cancel := context.WithCancel(context.WithoutCancel(ctx)) // ctx ends with the call of Ready
	l.enter(&session{cancel: cancel, background: &background{events: &eventRunner{}},
		read: observer.Begin(beside, l.observing(nil, o.Neighbours)), network: watchNetwork(beside, peer),
		clock: l.Machine.Clock(), began: time.Now()})
	return trip, nil
}

// connectLimit is how long a server may take to accept the connection that checks whether it can be
// reached.
const connectLimit = 10 * time.Second

// reachable connects to a server once, and returns the address that answered.
func reachable(ctx context.Context, address string) (server netip.AddrPort, trip time.Duration, err error) {
	dialer, began := net.Dialer{Timeout: connectLimit}, time.Now()
	conn, err := dialer.DialContext(ctx, "tcp", address)
	trip = time.Since(began)
	if ctx.Err() != nil {
		return server, trip, ctx.Err()
	}
	if err != nil {
		return server, trip, &InputError{Err: hint.Errorf("let this machine reach the other one (firewall, routes); for plinth's own servers, listen gives another address",
			"the load generator cannot reach the server: %w", err)}
	}
	peer, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	_ = conn.Close()
	return netip.AddrPortFrom(peer.Addr().Unmap(), peer.Port()), trip, err
}

// endDriving ends a run on a machine that only drove the load.
func (l *Local) endDriving(ctx context.Context, run *session, e Ending) (Account, error) {
	account := Account{Network: run.network.end()}
	run.read.StopWatching()
	if e.Failed {
		return account, nil
	}
	account.Evidence = run.read.Evidence(ctx, e.Begin, e.End)
	return account, clockStep(l.Machine.Clock()-run.clock, time.Since(run.began))
}

// network reads the network between a load generator and its server.
type network struct {
	cancel context.CancelFunc
	done   sync.WaitGroup
	server netip.AddrPort
	before host.Segments
	failed error // of before

	trips    []time.Duration
	tripsErr error
}

// watchNetwork reads the round trip once a second until end.
func watchNetwork(ctx context.Context, server netip.AddrPort) *network {
	n := &network{server: server}
	n.before, n.failed = host.ReadSegments()
	if !server.IsValid() { // a socket
		return n
	}
	ctx, n.cancel = context.WithCancel(ctx)
	n.done.Go(func() {
		for n.tripsErr == nil && host.Sleep(ctx, time.Second) == nil {
			var trip time.Duration
			if trip, n.tripsErr = host.RoundTripTo(server); trip > 0 {
				n.trips = append(n.trips, trip)
			}
		}
	})
	return n
}

// end returns what was read; nil if the server is not reached over a network.
func (n *network) end() *record.Network {
	if n == nil || n.cancel == nil {
		return nil
	}
	n.cancel()
	n.done.Wait()
	r := &record.Network{}
	if slices.Sort(n.trips); len(n.trips) > 0 {
		r.RoundTrip = float64(n.trips[len(n.trips)/2])
	}
	after, err := host.ReadSegments()
	if err = errors.Join(n.failed, err); err != nil {
		r.Gaps = append(r.Gaps, record.Gap{What: "retransmitted", Why: err.Error()})
	} else {
		r.Segments, r.Retransmitted = after.Sent-n.before.Sent, after.Retransmitted-n.before.Retransmitted
	}
	if n.tripsErr != nil {
		r.Gaps = append(r.Gaps, record.Gap{What: "round_trip_ns", Why: fmt.Sprint(n.tripsErr)})
	}
	return r
}
