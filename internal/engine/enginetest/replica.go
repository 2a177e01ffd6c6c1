package enginetest

import (
	"context"
	"testing"
	"time"

	"plinth/internal/engine"
)

// Pair is a kind of server that can follow another one, and what the suite must know about it. A
// replica must receive everything that is acknowledged only once it has caught up; how soon it
// does is up to the kind.
type Pair struct {
	// New creates a server whose environment has a replica, and the server of that replica.
	// Neither is started. The suite removes both.
	New func(t *testing.T) (primary, replica engine.Server)

	// Rows counts the rows that a driver would find.
	Rows func(t *testing.T, target engine.Target) int64

	// Drive changes the number of rows, as a driver would.
	Drive func(t *testing.T, target engine.Target)

	// Write writes something that a replica must reject.
	Write func(t *testing.T, target engine.Target) error

	// Lonely creates a server that no replica can follow, not started; may be nil.
	Lonely func(t *testing.T) engine.Server
}

// catchUp is how long to wait for a replica that is behind.
const catchUp = 2 * time.Minute

// RunPair runs the replication suite.
func RunPair(t *testing.T, pair Pair) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute) // only ends a hang
	t.Cleanup(cancel)
	p := replicas{Pair: pair, ctx: ctx}
	var replica engine.Server
	p.primary, replica = pair.New(t)
	p.replica = replica.(engine.Replicator)
	t.Cleanup(func() {
		for _, server := range []engine.Server{p.replica, p.primary} {
			if err := server.Remove(context.Background()); err != nil {
				t.Errorf("Remove at the end: %v", err)
			}
		}
	})
	for _, step := range []struct {
		name string
		test func(*testing.T)
	}{
		{"follow", p.follow}, {"feed", p.feed}, {"stop and start", p.stopAndStart}, {"killed replica", p.killedReplica},
		{"killed primary", p.killedPrimary}, {"promote", p.promote}, {"follow again", p.followAgain}, {"refusals", p.refusals},
	} {
		if !t.Run(step.name, step.test) {
			return
		}
	}
}

type replicas struct {
	Pair
	ctx     context.Context
	primary engine.Server
	replica engine.Replicator
}

func (p *replicas) follow(t *testing.T) {
	must(t, "Start", p.primary.Start(p.ctx))
	must(t, "Load", p.primary.Load(p.ctx, nil))
	told := 0
	must(t, "Follow", p.replica.Follow(p.ctx, p.primary, func(engine.Progress) { told++ }))
	t.Logf("Follow reported its progress %d times", told)
	p.mustBeEqual(t)
	if p.Write(t, p.replica.Target()) == nil {
		t.Error("a replica takes writes")
	}
	_, err := p.replica.Describe(p.ctx)
	must(t, "Describe of the replica", err)
}

// mustBeEqual waits until the replica has caught up with its primary, and compares them.
func (p *replicas) mustBeEqual(t *testing.T) {
	t.Helper()
	p.awaitNoLag(t)
	there, here := p.Rows(t, p.primary.Target()), p.Rows(t, p.replica.Target())
	if there != here || there == 0 {
		t.Fatalf("the primary has %d rows, and the replica %d", there, here)
	}
	must(t, "Check of the primary", p.primary.Check(p.ctx))
	must(t, "Check of the replica", p.replica.Check(p.ctx))
}

// awaitNoLag waits until the replica is not behind. It may have to reconnect to its primary
// first.
func (p *replicas) awaitNoLag(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, catchUp)
	defer cancel()
	bytes, err := p.replica.Lag(p.ctx)
	for again := time.NewTicker(5 * time.Millisecond); (err != nil || bytes > 0) && ctx.Err() == nil; bytes, err = p.replica.Lag(p.ctx) {
		select {
		case <-again.C:
		case <-ctx.Done():
		}
	}
	must(t, "Lag", err)
	if bytes != 0 {
		t.Fatalf("the replica is %d bytes behind after %s", bytes, catchUp)
	}
}

func (p *replicas) feed(t *testing.T) {
	before := p.Rows(t, p.replica.Target())
	p.Drive(t, p.primary.Target())
	p.mustBeEqual(t)
	if p.Rows(t, p.replica.Target()) == before {
		t.Error("Drive has changed nothing")
	}
	must(t, "Load of a loaded dataset", p.primary.Load(p.ctx, nil))
	p.mustBeEqual(t)
	must(t, "Checkpoint of the primary", p.primary.Checkpoint(p.ctx))
	must(t, "Checkpoint of the replica", p.replica.Checkpoint(p.ctx))
}

// stopAndStart does what switching servers does.
func (p *replicas) stopAndStart(t *testing.T) {
	must(t, "Stop of the primary", p.primary.Stop(p.ctx))
	must(t, "Stop of the replica", p.replica.Stop(p.ctx))
	must(t, "Start of the primary", p.primary.Start(p.ctx))
	must(t, "Start of the replica", p.replica.Start(p.ctx))
	p.Drive(t, p.primary.Target())
	p.mustBeEqual(t)
}

func (p *replicas) killedReplica(t *testing.T) {
	crasher := p.replica.(engine.Crasher)
	must(t, "Kill of the replica", crasher.Kill(p.ctx))
	p.Drive(t, p.primary.Target())
	_, err := crasher.Recover(p.ctx)
	must(t, "Recover of the replica", err)
	p.mustBeEqual(t)
}

// killedPrimary checks that a primary recovers with its data, and that the replica has the same
// data.
func (p *replicas) killedPrimary(t *testing.T) {
	crasher := p.primary.(engine.Crasher)
	must(t, "Kill of the primary", crasher.Kill(p.ctx))
	_, err := crasher.Recover(p.ctx)
	must(t, "Recover of the primary", err)
	p.Drive(t, p.primary.Target())
	p.mustBeEqual(t)
}

// promote checks that a promoted replica has everything that it received.
func (p *replicas) promote(t *testing.T) {
	crasher := p.primary.(engine.Crasher)
	witness, err := crasher.Witness(p.ctx, witnesses)
	must(t, "Witness", err)
	p.Drive(t, p.primary.Target())
	witness.Stop(p.ctx)
	p.awaitNoLag(t)
	must(t, "Kill of the primary", crasher.Kill(p.ctx))
	took, err := p.replica.Promote(p.ctx)
	must(t, "Promote", err)
	if took <= 0 {
		t.Errorf("Promote took %v", took)
	}
	must(t, "a write after that", p.Write(t, p.replica.Target()))
	testimonies, err := witness.Count(p.ctx, p.replica)
	must(t, "Count in the replica", err)
	for i, one := range testimonies {
		if one.Acknowledged == 0 || one.Found != one.Acknowledged || one.Holes != 0 || one.Back != 0 {
			t.Errorf("connection %d: %+v", i, one)
		}
	}
	if _, err := p.replica.Lag(p.ctx); err == nil {
		t.Error("Lag of a promoted replica gave no error")
	}
}

// followAgain restores the pair: the promoted server becomes a replica again.
func (p *replicas) followAgain(t *testing.T) {
	_, err := p.primary.(engine.Crasher).Recover(p.ctx)
	must(t, "Recover of the primary", err)
	must(t, "Load", p.primary.Load(p.ctx, nil))
	must(t, "Follow after a promotion", p.replica.Follow(p.ctx, p.primary, nil))
	p.mustBeEqual(t)
	if p.Write(t, p.replica.Target()) == nil {
		t.Error("a replica takes writes after it was promoted and follows again")
	}
}

func (p *replicas) refusals(t *testing.T) {
	if _, err := p.primary.(engine.Replicator).Lag(p.ctx); err == nil {
		t.Error("Lag of a primary gave no error")
	}
	if p.Lonely == nil {
		return
	}
	lonely := p.Lonely(t)
	defer func() { must(t, "Remove", lonely.Remove(p.ctx)) }()
	must(t, "Start", lonely.Start(p.ctx))
	if err := p.replica.Follow(p.ctx, lonely, nil); err == nil {
		t.Error("Follow of a server that cannot be followed gave no error")
	} else {
		t.Logf("Follow: %v", err)
	}
}
