package redis

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"plinth/internal/engine"
	"plinth/internal/engine/life"
	"plinth/internal/engine/redis/client"
)

// witnessKey is a list for each client, to which it appends numbers: a list keeps them in order,
// shows which exist after a loss, and takes a few bytes for each.
const witnessKey = "plinth-witness:%d"

// witness appends numbers over several connections.
type witness struct{ *life.Witness }

// witnessConn is one connection of a witness.
type witnessConn struct {
	conn  net.Conn
	reply *bufio.Reader
	key   string
}

// Witness removes the lists of an earlier run and starts to append.
func (o *Own) Witness(ctx context.Context, clients int) (engine.Witness, error) {
	err := o.Use(ctx, func(rdb *goredis.Client) error { return unlink(ctx, rdb, "plinth-witness:") })
	var w *life.Witness
	if err == nil {
		w, err = life.NewWitness(clients, func(index int) (life.Connection, error) { return openWitness(ctx, o.Options, index) })
	}
	if err != nil {
		return nil, advise(fmt.Errorf("cannot start the numbered writes that count losses: %w", engine.Plain(err)))
	}
	return witness{w}, nil
}

// openWitness connects, and authenticates if the server has a password.
func openWitness(ctx context.Context, o *goredis.Options, index int) (life.Connection, error) {
	dialer := net.Dialer{Timeout: client.DialLimit}
	conn, err := dialer.DialContext(ctx, o.Network, o.Addr)
	if err != nil {
		return nil, err
	}
	c := &witnessConn{conn, bufio.NewReader(conn), fmt.Sprintf(witnessKey, index)}
	if o.Password != "" {
		err = c.send("AUTH", o.Password)
	}
	if err != nil {
		c.Close()
	}
	return c, err
}

// Write appends a number.
func (c *witnessConn) Write(ctx context.Context, number int64) error {
	stop := context.AfterFunc(ctx, c.Close)
	defer stop()
	return engine.Plain(c.send("RPUSH", c.key, strconv.FormatInt(number, 10)))
}

// Close closes the connection. It may be called twice.
func (c *witnessConn) Close() { _ = c.conn.Close() }

// send sends a command and waits for a one-line reply.
func (c *witnessConn) send(words ...string) error {
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

// Count compares the acknowledged numbers with those in the lists.
func (w witness) Count(ctx context.Context, in engine.Server) ([]engine.Testimony, error) {
	w.Stop(ctx)
	there, is := in.(*Own)
	if !is {
		return nil, errors.New("cannot count writes in a server that is not plinth's own")
	}
	found := make([]engine.Testimony, len(w.Clients))
	for i, c := range w.Clients {
		numbers, err := there.numbers(ctx, fmt.Sprintf(witnessKey, i))
		if err != nil {
			return nil, fmt.Errorf("cannot count the writes: %w", err)
		}
		found[i] = testify(c.At, w.Last(), numbers)
	}
	if w.Last() == 0 {
		return nil, fmt.Errorf("no numbered write was acknowledged: %w", w.Cause())
	}
	return found, nil
}

// numbers reads a list, piece by piece.
func (o *Own) numbers(ctx context.Context, key string) (all []int64, err error) {
	const piece = 10_000
	err = o.Use(ctx, func(rdb *goredis.Client) error {
		for {
			words, err := rdb.LRange(ctx, key, int64(len(all)), int64(len(all))+piece-1).Result()
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

// testify returns the fate of the numbers 1 to len(at), which were acknowledged at those times,
// given the numbers found, which may have duplicates. last is the time of the last
// acknowledgement on any connection.
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
			t.Back = max(last-at[n-1], 1) // not 0: something is missing
		}
	}
	return t
}
