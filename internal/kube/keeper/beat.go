package keeper

import (
	"context"
	"errors"
	"sync"
	"time"

	"plinth/internal/host"
	"plinth/internal/kube/cluster"
	"plinth/internal/kube/manifest"
)

// beatEvery is how often the keeper hears from plinth: often enough that some heartbeats may be late
// before it gives up (keeperSilence).
const beatEvery = manifest.KeeperSilence / 6

// beats are the heartbeats that are sent to the keeper's pod. Without them, the keeper ends, and the cluster deletes what
// it owns.
type beats struct {
	cancel context.CancelFunc
	done   sync.WaitGroup
}

// beat begins to send heartbeats. The first one has arrived when it returns. A connection that fails is
// made again: the API server may be restarted, and an evicted keeper is replaced.
func (k *Keeper) beat(ctx context.Context) (*beats, error) {
	stream, err := k.join(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	b := &beats{cancel: cancel}
	b.done.Go(func() {
		for ctx.Err() == nil {
			if stream != nil {
				exchange(ctx, stream)
				_ = stream.Close()
			}
			if host.Sleep(ctx, time.Second) != nil {
				return
			}
			stream, _ = k.join(ctx)
		}
	})
	return b, nil
}

// join starts the program in the keeper's pod that takes the heartbeats, in the time in which a heartbeat
// has to be answered. The context limits only that.
func (k *Keeper) join(ctx context.Context) (*cluster.Stream, error) {
	found, err := k.cluster.Pods(ctx, k.plan.KeeperPods())
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, errors.New("the keeper has no pod")
	}
	run, end := context.WithCancel(context.WithoutCancel(ctx))
	late, given := time.AfterFunc(2*beatEvery, end), context.AfterFunc(ctx, end)
	stream, err := k.cluster.Exec(run, found[0].Name, manifest.Container, []string{"plinth", "hold", "beat"})
	if err != nil {
		end()
		return nil, err
	}
	_, err = stream.Read(make([]byte, 1))
	inTime, wanted := late.Stop(), given()
	switch {
	case !wanted:
		err = context.Cause(ctx)
	case !inTime:
		err = errors.New("the keeper's pod did not answer")
	case err == nil:
		return stream, nil
	}
	end()
	return nil, errors.Join(err, stream.Close())
}

// exchange sends heartbeats until one is not answered in time.
func exchange(ctx context.Context, stream *cluster.Stream) {
	for host.Sleep(ctx, beatEvery) == nil {
		late := time.AfterFunc(2*beatEvery, func() { _ = stream.Close() }) // a connection may be half open
		stop := context.AfterFunc(ctx, func() { _ = stream.Close() })
		_, err := stream.Write([]byte("\n"))
		if err == nil {
			_, err = stream.Read(make([]byte, 1))
		}
		stop()
		if !late.Stop() || err != nil {
			return
		}
	}
}

func (b *beats) stop() {
	b.cancel()
	b.done.Wait()
}
