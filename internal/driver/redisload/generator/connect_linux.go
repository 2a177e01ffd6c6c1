package generator

import (
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"golang.org/x/sys/unix"

	"plinth/internal/driver/redisload/resp"
)

// connect connects all clients before the load begins, and greets the server on each
// connection. Where each request has its own connection, a single client checks that this
// works.
func (t *thread) connect() error {
	t.base = time.Now()
	t.secondEnd = math.MaxInt64 // no second begins before all clients are connected
	first := t.clients
	if t.load.config.ConnectEach {
		first = t.clients[:1]
	}
	for i := range first {
		c := &first[i]
		c.compose()
		c.greet(t.load.hello, t.load.hellos)
		if err := t.open(c); err != nil {
			return err
		}
	}
	for t.ready < len(first) {
		if t.now = t.clock(); t.now > int64(patience) {
			return fmt.Errorf("only %d of %d clients connected and received an answer within %v", t.ready, len(first), patience)
		}
		if err := t.turn(int64(100 * time.Millisecond)); err != nil {
			return err
		}
	}
	if t.load.config.ConnectEach {
		t.drop(&t.clients[0])
	}
	return nil
}

// open starts connecting a client, which then sends its batch.
func (t *thread) open(c *client) error {
	fd, done, err := t.dialer.open()
	switch {
	case errors.Is(err, unix.EAGAIN): // Unix sockets only: the server's backlog is full
		c.phase = backlogged
		t.backlog = append(t.backlog, c)
		return nil
	case err != nil:
		return fmt.Errorf("cannot connect: %w", err)
	}
	c.fd, c.asked, c.phase = fd, 0, connecting
	c.parser.Reset()
	if done {
		return t.established(c)
	}
	return t.ask(c, unix.EPOLLOUT)
}

// again retries clients that met a full backlog.
func (t *thread) again() error {
	waiting := t.backlog
	t.backlog = t.backlog[:0]
	for _, c := range waiting { // open may append it again, at or before its old index
		if err := t.open(c); err != nil {
			return err
		}
	}
	return nil
}

func (t *thread) established(c *client) error {
	c.plain = plain{c.fd}
	c.sock = &c.plain
	if config := t.dialer.tls; config != nil {
		s, err := secure(c.fd, config)
		if err != nil {
			return fmt.Errorf("cannot complete the TLS handshake: %w", err)
		}
		c.sock = s
	}
	c.phase = busy
	return t.send(c, t.clock())
}

// drop closes a connection.
func (t *thread) drop(c *client) {
	_ = unix.Close(c.fd) // removes it from epoll, too
	c.sock, c.fd, c.phase = nil, -1, absent
	c.made++
}

// ask registers with epoll what a client waits for.
func (t *thread) ask(c *client, events uint32) error {
	if c.asked == events {
		return nil
	}
	op := unix.EPOLL_CTL_MOD
	if c.asked == 0 {
		op = unix.EPOLL_CTL_ADD
	}
	c.asked = events
	t.interest = unix.EpollEvent{Events: events, Fd: c.number}
	if err := unix.EpollCtl(t.epoll, op, c.fd, &t.interest); err != nil {
		return fmt.Errorf("cannot wait for replies: %w", err)
	}
	return nil
}

// lost returns why a connection was lost: in the server's words, if it sent any before
// closing.
func (t *thread) lost(c *client, err error) error {
	if !errors.Is(err, io.EOF) { // it may have sent the reason
		if n, _, readErr := c.sock.read(t.buffer); readErr == nil {
			c.hear(t.buffer[:n])
		}
	}
	if text := c.parser.Text(); c.parser.Kind() == resp.Error && len(text) > 0 {
		return t.load.refuses(text)
	}
	if errors.Is(err, io.EOF) {
		return errors.New("the server closed a connection")
	}
	return fmt.Errorf("a connection to the server was lost: %w", err)
}

// hear reads replies of a lost connection, up to an error.
func (c *client) hear(b []byte) {
	for len(b) > 0 {
		n, done, err := c.parser.Parse(b)
		if err != nil || !done || c.parser.Kind() == resp.Error {
			return
		}
		b = b[n:]
	}
}
