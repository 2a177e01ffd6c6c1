package redis

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"plinth/internal/engine"
	"plinth/internal/engine/redis/client"
	"plinth/internal/hint"
)

// Keys are written over several connections, so that the server never idles, in batches that are
// large enough to hide the round trip and small enough for progress reports.
const (
	batchBytes = 1 << 20
	batchKeys  = 1000
)

// fill is one family of keys to write.
type fill struct {
	step  string // "keys"
	count int64
	size  int64
	name  func(number int64) string
}

// fills returns what is written into a database: the dataset, and the keys that the load reads.
func (d *database) fills() []fill {
	keys := d.keys()
	all := []fill{
		{"keys", keys.Keys, int64(keys.Size), func(n int64) string { return d.prefix + fmt.Sprintf(datasetKey, n) }},
		{"keys of the load", readKeys(d.Experiment), int64(d.Experiment.Payload), d.loadKeyName},
	}
	var wanted []fill
	for _, f := range all {
		if f.count > 0 {
			wanted = append(wanted, f)
		}
	}
	return wanted
}

// write writes all keys of a fill.
func (d *database) write(ctx context.Context, f fill, tell func(engine.Progress)) error {
	w := writer{fill: f, values: newValues(f.size), began: time.Now(), tell: tell}
	w.batch = max(1, min(batchKeys, batchBytes/f.size))
	return d.Use(ctx, func(rdb *goredis.Client) error {
		run, stop := context.WithCancelCause(ctx)
		defer stop(nil)
		var working sync.WaitGroup
		for range client.Loaders {
			working.Go(func() {
				for run.Err() == nil {
					if more, err := w.next(run, rdb); err != nil {
						stop(err)
					} else if !more {
						return
					}
				}
			})
		}
		working.Wait()
		return context.Cause(run)
	})
}

// writer is a fill in progress.
type writer struct {
	fill
	values
	batch int64
	begun atomic.Int64 // keys that a connection is writing or has written
	began time.Time

	mu   sync.Mutex
	done int64
	tell func(engine.Progress)
}

// next writes one more batch, in one pipeline.
func (w *writer) next(ctx context.Context, rdb *goredis.Client) (more bool, err error) {
	first := w.begun.Add(w.batch) - w.batch
	last := min(first+w.batch, w.count)
	if first >= w.count {
		return false, nil
	}
	pipe := rdb.Pipeline()
	for n := first; n < last; n++ {
		pipe.Set(ctx, w.name(n), w.of(n), 0)
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return false, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done += last - first
	w.tell(engine.Progress{Step: w.step, Done: w.done, Rows: w.count, Elapsed: time.Since(w.began)})
	return last < w.count, nil
}

// loading loads a server's keys; empty removes the existing ones before, and settle finishes the
// load.
func (d *database) loading(ctx context.Context, progress func(engine.Progress), empty, settle func() error) error {
	if progress == nil {
		progress = func(engine.Progress) {}
	}
	began := time.Now()
	d.loaded = false
	step := func(name string) { progress(engine.Progress{Step: name, Elapsed: time.Since(began)}) }
	step("emptying")
	err := empty()
	var before client.Info
	if err == nil {
		before, err = d.Info(ctx)
	}
	d.dataset.Rows = 0
	for _, f := range d.fills() {
		if err == nil {
			err = d.write(ctx, f, progress)
		}
		d.dataset.Rows += f.count
	}
	if err == nil {
		step("settling")
		err = settle()
	}
	var after client.Info
	if err == nil {
		after, err = d.Info(ctx)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return advise(fmt.Errorf("cannot load the dataset: %w", err))
	}
	d.loaded, d.loadTime, d.loadDuration = true, began, time.Since(began)
	d.dataset.Bytes = max(0, after.KeyMemory()-before.KeyMemory())
	return nil
}

const spaceAdvice = "free space on the volume, or have the append-only file rewritten sooner (auto-aof-rewrite-percentage)"

var advices = []struct{ words, advice string }{
	{"No space left on device", spaceAdvice},
	{"Short write", spaceAdvice},
	{"Cannot allocate memory", "free memory, or set vm.overcommit_memory to 1: a save forks the server, and without overcommit the kernel reserves its memory twice"},
	{"OOM command not allowed", "raise maxmemory, or load less data"},
	{"MISCONF", "see the server's log for the reason; the server rejects writes until a save succeeds (stop-writes-on-bgsave-error)"},
	{"NOAUTH", "give the password: redis://user:password@host, or " + client.CliPassword},
	{"WRONGPASS", "give the right password: redis://user:password@host, or " + client.CliPassword},
	{"NOPERM", "grant the user this command (ACL SETUSER) for keys that begin with " + keyPrefix},
	{"unknown command", "enable the command, which plinth needs: it may be renamed or disabled on the server"},
	{"Address already in use", "stop the program that listens on all addresses on the same port, or start the experiment again: the server then has another port"},
	{"Permission denied", "give the user who runs the server access to the data directory and all directories above it"},
}

// advise adds advice for the usual causes.
func advise(err error) error {
	if err == nil || hint.Of(err) != "" {
		return err
	}
	for _, known := range advices {
		if strings.Contains(err.Error(), known.words) {
			return hint.Wrap(err, known.advice)
		}
	}
	return err
}

var errNotLoaded = errors.New("it is not loaded")

// The methods that restore a dataset before a run.
const (
	resetNone    = "none"
	resetRewrite = "rewrite"
	resetReload  = "reload"
)

// reset restores the dataset before a run: "rewrite" has the append-only file rewritten, if there
// is one, so that each run starts with a file that holds the keys and no history; "reload" drops
// everything and loads it again; "none" does nothing.
func (d *database) reset(ctx context.Context, how string, rewrite, reload func(context.Context) error) error {
	var err error
	switch {
	case how == resetNone:
	case how == resetReload:
		return reload(ctx)
	case how == resetRewrite && !d.loaded:
		err = errNotLoaded
	case how == resetRewrite:
		err = rewrite(ctx)
	default:
		err = fmt.Errorf("unknown method %q", how)
	}
	if err != nil {
		return advise(fmt.Errorf("cannot reset the dataset: %w", err))
	}
	return nil
}

// valuesSpread is the range, in bytes, of the offsets at which values start in the buffer that
// they are cut from.
const valuesSpread = 1 << 20

// values are the contents of keys: random bytes, because compressible values would make an RDB
// file, a rewritten append-only file and a full synchronisation smaller than the experiment says.
// rdbcompression (LZF) is on by default. redis-benchmark's own values hardly compress either.
//
// All values are slices of one buffer at different offsets, so that they take no extra memory or
// time.
type values struct {
	bytes []byte
	size  int64
}

func newValues(size int64) values {
	v := values{make([]byte, size+valuesSpread), size}
	_, _ = rand.NewChaCha8([32]byte{}).Read(v.bytes) // never fails
	return v
}

// of returns the value of a key, which must not be modified.
func (v values) of(number int64) []byte {
	at := number * 7919 % valuesSpread // a prime: consecutive values start far apart
	return v.bytes[at : at+v.size]
}
