package life

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Connection is how one client of a Witness reaches its server. It never reconnects: every answer
// comes from the server that it first connected to. A Witness may open another connection.
type Connection interface {
	// Write writes a number and waits until the server has acknowledged it, or ctx is done. The
	// error is short.
	Write(ctx context.Context, number int64) error
	Close()
}

// Witness writes numbers over several connections, counting from 1 on each, and remembers which
// of them were acknowledged, and when.
type Witness struct {
	Clients []Client

	began   time.Time
	fault   time.Duration                                  // since the start of the writing; set by Resumed
	again   func(context.Context, int) (Connection, error) // nil: a client ends with its connection
	cancel  context.CancelFunc                             // cancels the writes in progress
	stop    chan struct{}
	stopped sync.Once
	done    sync.WaitGroup
}

// Client is one connection of a Witness, with its goroutine.
type Client struct {
	// At holds when each number was acknowledged, since the start of the writing: number n in
	// At[n-1]. Dating a loss takes these 8 bytes for each number.
	At []time.Duration

	mu    sync.Mutex // guards At and what follows, until the Witness is stopped
	conn  Connection
	broke time.Duration // when a connection failed last; 0 if none did
	ended error         // why it ended on its own, or why its last connection failed
}

// NewWitness opens the connections and starts to write.
func NewWitness(clients int, open func(client int) (Connection, error)) (*Witness, error) {
	return newWitness(clients, open, nil)
}

// NewLasting returns a Witness that goes on after its server has failed: a client whose connection
// breaks opens another one, until the Witness is stopped. It then writes the same number again: the
// server may have it or not.
func NewLasting(clients int, open func(ctx context.Context, client int) (Connection, error)) (*Witness, error) {
	return newWitness(clients, func(client int) (Connection, error) { return open(context.Background(), client) }, open)
}

func newWitness(clients int, open func(client int) (Connection, error), again func(context.Context, int) (Connection, error)) (*Witness, error) {
	w := &Witness{stop: make(chan struct{}), began: time.Now(), Clients: make([]Client, clients), again: again}
	for i := range w.Clients {
		conn, err := open(i)
		if err != nil {
			w.close()
			return nil, err
		}
		w.Clients[i].conn = conn
	}
	// It lives as long as its server, not only as long as the call that created it.
	run, cancel := context.WithCancel(context.Background())
	w.cancel = cancel
	for i := range w.Clients {
		w.done.Go(func() { w.write(run, i) })
	}
	return w, nil
}

// write writes one number after the other until it is stopped or, unless it connects again, a write
// fails. It writes at least one, however soon it is stopped.
func (w *Witness) write(ctx context.Context, client int) {
	c := &w.Clients[client]
	for {
		err := c.conn.Write(ctx, int64(len(c.At)+1))
		now := time.Since(w.began)
		c.mu.Lock()
		if err == nil {
			c.At = append(c.At, now)
		} else {
			c.ended, c.broke = err, now
		}
		c.mu.Unlock()
		if err != nil && (w.again == nil || !w.reconnect(ctx, client)) || w.stopping() {
			return
		}
	}
}

func (w *Witness) stopping() bool {
	select {
	case <-w.stop:
		return true
	default:
		return false
	}
}

// How a client connects again: each attempt has a limit, since the address of a server that is gone
// may not answer at all, and there is a pause before it. The pause is how exactly the end of an
// outage is known.
const (
	reconnectLimit = 2 * time.Second
	reconnectPause = 20 * time.Millisecond
)

// reconnect replaces the connection of a client. It returns false once the Witness is stopped.
func (w *Witness) reconnect(ctx context.Context, client int) bool {
	c := &w.Clients[client]
	c.conn.Close()
	for {
		select {
		case <-w.stop:
			return false
		case <-time.After(reconnectPause):
		}
		attempt, cancel := context.WithTimeout(ctx, reconnectLimit)
		conn, err := w.again(attempt, client)
		cancel()
		if err == nil {
			c.conn = conn
			return true
		}
		c.mu.Lock()
		c.ended = err
		c.mu.Unlock()
	}
}

// Resumed waits until the connections that were open at a fault have all failed, and each client has
// written again over another one.
func (w *Witness) Resumed(ctx context.Context, fault time.Time) error {
	w.fault = fault.Sub(w.began)
	for !w.resumed() {
		select {
		case <-ctx.Done():
			return w.notResumed(ctx)
		case <-time.After(reconnectPause):
		}
	}
	return nil
}

func (w *Witness) resumed() bool {
	for i := range w.Clients {
		c := &w.Clients[i]
		c.mu.Lock()
		again := c.broke > w.fault && len(c.At) > 0 && c.At[len(c.At)-1] > c.broke
		c.mu.Unlock()
		if !again {
			return false
		}
	}
	return true
}

// notResumed says what the clients wait for.
func (w *Witness) notResumed(ctx context.Context) error {
	for i := range w.Clients {
		c := &w.Clients[i]
		c.mu.Lock()
		broke, last := c.broke, c.ended
		c.mu.Unlock()
		if broke > w.fault {
			return fmt.Errorf("no write was acknowledged again: %w", errors.Join(last, context.Cause(ctx)))
		}
	}
	return fmt.Errorf("the fault had no effect on the connections: %w", context.Cause(ctx))
}

// Outage returns the longest time without an acknowledged write on any connection that ended after the
// fault of Resumed, since the start of the writing. The Witness must be stopped.
func (w *Witness) Outage() (from, to time.Duration) {
	var all []time.Duration
	for i := range w.Clients {
		all = append(all, w.Clients[i].At...)
	}
	slices.Sort(all)
	for i := 1; i < len(all); i++ {
		if all[i] > w.fault && all[i]-all[i-1] > to-from {
			from, to = all[i-1], all[i]
		}
	}
	return from, to
}

// Since returns a time since the start of the writing as one since the fault of Resumed.
func (w *Witness) Since(at time.Duration) time.Duration { return at - w.fault }

// Stop ends the writing after the writes in progress have finished or, once ctx is done, without
// waiting for them. It may be called twice.
func (w *Witness) Stop(ctx context.Context) {
	w.stopped.Do(func() {
		close(w.stop)
		release := context.AfterFunc(ctx, w.cancel)
		w.done.Wait()
		release()
		w.cancel()
		w.close()
	})
}

func (w *Witness) close() {
	for i := range w.Clients {
		if conn := w.Clients[i].conn; conn != nil {
			conn.Close()
		}
	}
}

// Last returns when the last number was acknowledged on any connection before the server failed, since
// the start of the writing; 0 if none was.
func (w *Witness) Last() (last time.Duration) {
	if w.fault > 0 {
		last, _ = w.Outage()
	}
	if last > 0 {
		return last
	}
	for i := range w.Clients {
		if at := w.Clients[i].At; len(at) > 0 {
			last = max(last, at[len(at)-1])
		}
	}
	return last
}

// Cause returns the error of the first connection that ended on its own.
func (w *Witness) Cause() error {
	for i := range w.Clients {
		if err := w.Clients[i].ended; err != nil {
			return err
		}
	}
	return errors.New("no connection was open")
}
