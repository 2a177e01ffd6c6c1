package generator

import (
	"unsafe"

	"golang.org/x/sys/unix"

	"plinth/internal/driver/redisload/resp"
)

// phase is the state of a client.
type phase byte

const (
	absent     phase = iota // has no connection
	backlogged              // must connect again: the server's backlog was full
	connecting              // waits for its connection to be established
	idle                    // has nothing to do
	busy                    // waits for replies
)

// flight is one request of a batch.
type flight struct {
	script int
	begin  int64 // offset of its first byte in the batch
	due    int64 // nanoseconds since the load began; closed loop: when it was sent
	sent   int64 // start of the write that sent its first byte
	counts bool  // whether it is measured
}

// client is one connection, with its current batch of requests. All memory is allocated
// before the load begins.
type client struct {
	number int32
	phase  phase
	sock   socket // nil unless connected
	plain  plain  // what sock is without TLS
	fd     int
	made   int    // how many connections have been dropped
	asked  uint32 // the events registered with epoll
	parser resp.Parser

	out     []byte       // requests as sent, without shared payloads
	pieces  []unix.Iovec // what to send, in order
	current int          // the first of them not sent entirely
	sent    int64        // bytes of the batch
	size    int64        // of the batch so far, bytes

	greetings int // replies expected before those of the batch
	flights   []flight
	stamped   int // flights whose sent is known
	answered  int
}

// compose empties the batch.
func (c *client) compose() {
	c.out, c.pieces, c.flights = c.out[:0], c.pieces[:0], c.flights[:0]
	c.current, c.sent, c.size = 0, 0, 0
	c.stamped, c.answered = 0, 0
}

// greet puts a greeting before the batch.
func (c *client) greet(greeting []byte, replies int) {
	if replies > 0 {
		c.text(greeting)
		c.greetings = replies
	}
}

// request adds one request to the batch.
func (c *client) request(script int, t *template, payload []byte, k *keys, due int64, counts bool) {
	c.flights = append(c.flights, flight{script: script, begin: c.size, due: due, counts: counts})
	at := len(c.out)
	from := 0
	for _, here := range t.payloads {
		c.text(t.text[from:here])
		c.piece(payload)
		from = here
	}
	c.text(t.text[from:])
	for _, number := range t.numbers {
		putNumber(c.out[at+number:], k.next())
	}
}

// text adds a copy of b, to the last piece if that is text, too.
func (c *client) text(b []byte) {
	at := len(c.out)
	c.out = append(c.out, b...)
	c.size += int64(len(b))
	if last := len(c.pieces) - 1; last >= 0 && at > 0 && c.endsAt(last, at) {
		c.pieces[last].Len += uint64(len(b))
		return
	}
	c.pieces = append(c.pieces, unix.Iovec{Base: &c.out[at], Len: uint64(len(b))})
}

// endsAt reports whether a piece ends at an index of out.
func (c *client) endsAt(piece, at int) bool {
	p := &c.pieces[piece]
	first := int64(at) - int64(p.Len)
	return first >= 0 && p.Base == &c.out[first]
}

// piece adds bytes without copying them.
func (c *client) piece(b []byte) {
	c.pieces = append(c.pieces, unix.Iovec{Base: &b[0], Len: uint64(len(b))})
	c.size += int64(len(b))
}

// flush sends as much of the batch as possible; now is the time when it starts.
func (c *client) flush(now int64) error {
	for c.current < len(c.pieces) || c.sock.unsent() {
		n, err := c.sock.write(c.pieces[c.current:])
		c.advance(int64(n))
		c.stamp(now)
		if err != nil {
			return err
		}
	}
	return nil
}

// advance records that n more bytes were sent.
func (c *client) advance(n int64) {
	c.sent += n
	for n > 0 {
		p := &c.pieces[c.current]
		if n < int64(p.Len) {
			p.Base = (*byte)(unsafe.Add(unsafe.Pointer(p.Base), n))
			p.Len -= uint64(n)
			return
		}
		n -= int64(p.Len)
		c.current++
	}
}

// stamp records when requests were sent: at the start of the write that sent their first
// byte.
func (c *client) stamp(now int64) {
	for ; c.stamped < len(c.flights) && c.flights[c.stamped].begin < c.sent; c.stamped++ {
		c.flights[c.stamped].sent = now
	}
}

// unanswered returns how many requests of the batch have no reply yet.
func (c *client) unanswered() int { return len(c.flights) - c.answered }

// makeClient allocates all memory that a client will need.
func makeClient(number int, templates []template, pipeline, greeting int) client {
	text, pieces := 0, 0
	for i := range templates {
		text = max(text, len(templates[i].text))
		pieces = max(pieces, 2*len(templates[i].payloads)+1)
	}
	return client{
		number: int32(number), fd: -1,
		out:     make([]byte, 0, text*pipeline+greeting),
		pieces:  make([]unix.Iovec, 0, pieces*pipeline+1),
		flights: make([]flight, 0, pipeline),
	}
}
