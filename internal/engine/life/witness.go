package life

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Connection is how one client of a Witness reaches its server. It never reconnects: every answer
// comes from the server that it first connected to.
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
	cancel  context.CancelFunc // cancels the writes in progress
	stop    chan struct{}
	stopped sync.Once
	done    sync.WaitGroup
}

// Client is one connection of a Witness, with its goroutine.
type Client struct {
	// At holds when each number was acknowledged, since the start of the writing: number n in
	// At[n-1]. Dating a loss takes these 8 bytes for each number.
	At []time.Duration

	conn  Connection
	ended error // why it ended on its own
}

// NewWitness opens the connections and starts to write.
func NewWitness(clients int, open func(client int) (Connection, error)) (*Witness, error) {
	w := &Witness{stop: make(chan struct{}), began: time.Now(), Clients: make([]Client, clients)}
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
		w.done.Go(func() { w.write(run, &w.Clients[i]) })
	}
	return w, nil
}

// write writes one number after the other until it is stopped or a write fails. It writes at
// least one, however soon it is stopped.
func (w *Witness) write(ctx context.Context, c *Client) {
	for {
		if err := c.conn.Write(ctx, int64(len(c.At)+1)); err != nil {
			c.ended = err
			return
		}
		c.At = append(c.At, time.Since(w.began))
		select {
		case <-w.stop:
			return
		default:
		}
	}
}

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

// Last returns when the last number was acknowledged on any connection, since the start of the
// writing; 0 if none was.
func (w *Witness) Last() (last time.Duration) {
	for _, c := range w.Clients {
		if len(c.At) > 0 {
			last = max(last, c.At[len(c.At)-1])
		}
	}
	return last
}

// Cause returns the error of the first connection that ended on its own.
func (w *Witness) Cause() error {
	for _, c := range w.Clients {
		if c.ended != nil {
			return c.ended
		}
	}
	return errors.New("no connection was open")
}
