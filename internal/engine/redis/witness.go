package redis

import (
	"bufio"
	"context"
	"crypto/tls"
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

// witnessPrefix begins the keys of the lists to which clients append numbers, one for each: a list keeps
// them in order, shows which exist after a loss, and takes a few bytes for each.
const witnessPrefix = "plinth-witness:"

func (d *database) witnessKey(client int) string {
	return d.prefix + witnessPrefix + strconv.Itoa(client)
}

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
	return o.witness(ctx, func() (*life.Witness, error) {
		return life.NewWitness(clients, func(index int) (life.Connection, error) {
			return openWitness(ctx, o.Options, &net.Dialer{Timeout: client.DialLimit}, o.witnessKey(index))
		})
	})
}

// Witness removes the lists of an earlier run and starts to append. It connects again after a fault:
// others start the server again.
func (c *Connected) Witness(ctx context.Context, clients int) (engine.Witness, error) {
	return c.witness(ctx, func() (*life.Witness, error) {
		return life.NewLasting(clients, func(ctx context.Context, index int) (life.Connection, error) {
			return openWitness(ctx, c.Options, life.Dialer(), c.witnessKey(index))
		})
	})
}

// witness removes the lists, and starts a witness.
func (d *database) witness(ctx context.Context, start func() (*life.Witness, error)) (engine.Witness, error) {
	err := d.Use(ctx, func(rdb *goredis.Client) error { return unlink(ctx, rdb, d.prefix+witnessPrefix) })
	var w *life.Witness
	if err == nil {
		w, err = start()
	}
	if err != nil {
		return nil, advise(fmt.Errorf("cannot start the numbered writes that count losses: %w", engine.Plain(err)))
	}
	return witness{w}, nil
}

// itself returns what Own and Connected share.
func (d *database) itself() *database { return d }

// dialWitness connects, with TLS if the options have it.
func dialWitness(ctx context.Context, o *goredis.Options, dialer *net.Dialer) (net.Conn, error) {
	if o.TLSConfig != nil {
		return (&tls.Dialer{NetDialer: dialer, Config: o.TLSConfig}).DialContext(ctx, o.Network, o.Addr)
	}
	return dialer.DialContext(ctx, o.Network, o.Addr)
}

// openWitness connects, authenticates if the server has a password, and selects the database of the options, from which the
// numbers are read later.
func openWitness(ctx context.Context, o *goredis.Options, dialer *net.Dialer, key string) (life.Connection, error) {
	conn, err := dialWitness(ctx, o, dialer)
	if err != nil {
		return nil, err
	}
	c := &witnessConn{conn, bufio.NewReader(conn), key}
	switch {
	case o.Username != "":
		err = c.send("AUTH", o.Username, o.Password)
	case o.Password != "":
		err = c.send("AUTH", o.Password)
	}
	if err == nil && o.DB != 0 {
		err = c.send("SELECT", strconv.Itoa(o.DB))
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
	server, is := in.(interface{ itself() *database })
	if !is {
		return nil, errors.New("cannot count writes in a server that is not Redis")
	}
	there := server.itself()
	there.Close() // its connections may be those of a server that is gone
	found := make([]engine.Testimony, len(w.Clients))
	for i := range w.Clients {
		numbers, err := there.numbers(ctx, there.witnessKey(i))
		if err != nil {
			return nil, fmt.Errorf("cannot count the writes: %w", err)
		}
		found[i] = testify(w.Clients[i].At, w.Last(), numbers)
	}
	if w.Last() == 0 {
		return nil, fmt.Errorf("no numbered write was acknowledged: %w", w.Cause())
	}
	return found, nil
}

// numbers reads a list, piece by piece.
func (d *database) numbers(ctx context.Context, key string) (all []int64, err error) {
	const piece = 10_000
	err = d.Use(ctx, func(rdb *goredis.Client) error {
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
