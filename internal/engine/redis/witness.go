package redis

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"plinth/internal/engine"
)

// witnessKey is a list for each client of a witness, to which it appends numbers: a
// list keeps them in order, says which are there when some are gone, and takes a few
// bytes for each.
const witnessKey = "plinth-witness:%d"

// witness appends numbers over several connections.
type witness struct {
	began   time.Time
	stop    chan struct{}
	stopped sync.Once
	done    sync.WaitGroup
	clients []witnessClient
}

// witnessClient is one connection of a witness, and a goroutine.
type witnessClient struct {
	conn  net.Conn
	reply *bufio.Reader
	key   string
	// at is when each number was acknowledged, after the witness began: of number n in
	// at[n-1]. 8 bytes for each is what a loss needs to be dated.
	at    []time.Duration
	ended error // why it ended by itself
}

// Witness removes the lists of an earlier one and begins to append.
func (o *Own) Witness(ctx context.Context, clients int) (engine.Witness, error) {
	w, err := o.newWitness(ctx, clients)
	if err != nil {
		return nil, advise(fmt.Errorf("cannot write numbers for a witness: %w", plain(err)))
	}
	return w, nil
}

func (o *Own) newWitness(ctx context.Context, clients int) (*witness, error) {
	w := &witness{began: time.Now(), stop: make(chan struct{}), clients: make([]witnessClient, clients)}
	err := o.use(ctx, func(client *goredis.Client) error { return unlink(ctx, client, "plinth-witness:") })
	if err != nil {
		return nil, err
	}
	for i := range w.clients {
		c := &w.clients[i]
		c.key = fmt.Sprintf(witnessKey, i)
		if err := c.open(ctx, o.options); err != nil {
			w.close()
			return nil, err
		}
	}
	for i := range w.clients {
		w.done.Go(func() { w.clients[i].write(w) })
	}
	return w, nil
}

// open connects. A connection of its own, that nothing ever renews: what it was told
// is told by the server that it began with.
func (c *witnessClient) open(ctx context.Context, o *goredis.Options) (err error) {
	dialer := net.Dialer{Timeout: dialLimit}
	if c.conn, err = dialer.DialContext(ctx, o.Network, o.Addr); err != nil {
		return err
	}
	c.reply = bufio.NewReader(c.conn)
	if o.Password != "" {
		return c.send("AUTH", o.Password)
	}
	return nil
}

// send sends a command and waits for a reply of one line.
func (c *witnessClient) send(words ...string) error {
	command := fmt.Appendf(nil, "*%d\r\n", len(words))
	for _, word := range words {
		command = fmt.Appendf(command, "$%d\r\n%s\r\n", len(word), word)
	}
	if _, err := c.conn.Write(command); err != nil {
		return err
	}
	line, err := c.reply.ReadString('\n')
	if err == nil && strings.HasPrefix(line, "-") {
		err = errors.New(strings.TrimSpace(line[1:]))
	}
	return err
}

// write appends one number after the other until it is stopped or an answer does not
// come. It appends at least one, however soon it is stopped.
func (c *witnessClient) write(w *witness) {
	for {
		if err := c.send("RPUSH", c.key, strconv.Itoa(len(c.at)+1)); err != nil {
			c.ended = plain(err)
			return
		}
		c.at = append(c.at, time.Since(w.began))
		select {
		case <-w.stop:
			return
		default:
		}
	}
}

// Stop ends the witness.
func (w *witness) Stop(ctx context.Context) {
	w.stopped.Do(func() {
		close(w.stop)
		release := context.AfterFunc(ctx, w.close)
		w.done.Wait()
		release()
		w.close()
	})
}

func (w *witness) close() {
	for i := range w.clients {
		if conn := w.clients[i].conn; conn != nil {
			_ = conn.Close() // twice is fine
		}
	}
}

// Count compares what was acknowledged with what is in the lists.
func (w *witness) Count(ctx context.Context, in engine.Server) ([]engine.Testimony, error) {
	w.Stop(ctx)
	there, is := in.(*Own)
	if !is {
		return nil, errors.New("cannot count writes in a server that is not plinth's own")
	}
	found := make([]engine.Testimony, len(w.clients))
	all, last := 0, time.Duration(0) // the last acknowledgement on any connection
	for i := range w.clients {
		c := &w.clients[i]
		all += len(c.at)
		if len(c.at) > 0 {
			last = max(last, c.at[len(c.at)-1])
		}
	}
	for i := range w.clients {
		c := &w.clients[i]
		numbers, err := there.numbers(ctx, c.key)
		if err != nil {
			return nil, fmt.Errorf("cannot count the writes: %w", err)
		}
		found[i] = testify(c.at, last, numbers)
	}
	if all == 0 {
		return nil, fmt.Errorf("the witness has written nothing: %w", w.cause())
	}
	return found, nil
}

// cause is why the first connection that ended by itself did so.
func (w *witness) cause() error {
	for i := range w.clients {
		if w.clients[i].ended != nil {
			return w.clients[i].ended
		}
	}
	return errors.New("it had no connection")
}

// numbers reads a list, piece by piece.
func (o *Own) numbers(ctx context.Context, key string) (all []int64, err error) {
	const piece = 10_000
	err = o.use(ctx, func(client *goredis.Client) error {
		for {
			words, err := client.LRange(ctx, key, int64(len(all)), int64(len(all))+piece-1).Result()
			if err != nil || len(words) == 0 {
				return err
			}
			for _, word := range words {
				n, err := strconv.ParseInt(word, 10, 64)
				if err != nil {
					return fmt.Errorf("%s holds %q", key, word)
				}
				all = append(all, n)
			}
		}
	})
	return all, err
}

// testify says what became of the numbers 1 to len(at), which were acknowledged at
// those times, where some are found; each may be there twice. last is when the last
// one was acknowledged, on any connection.
func testify(at []time.Duration, last time.Duration, numbers []int64) engine.Testimony {
	t := engine.Testimony{Acknowledged: int64(len(at))}
	for _, n := range numbers {
		t.Highest = max(t.Highest, n)
	}
	there := make([]bool, max(t.Highest, t.Acknowledged)+1)
	var distinct int64
	for _, n := range numbers {
		if n > 0 && !there[n] {
			there[n] = true
			distinct++
		}
	}
	t.Holes = t.Highest - distinct
	for n := int64(1); n <= t.Acknowledged; n++ {
		switch {
		case there[n]:
			t.Found++
		case t.Back == 0:
			t.Back = max(last-at[n-1], 1) // something is gone, however late
		}
	}
	return t
}
