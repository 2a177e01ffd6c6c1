package generator

import (
	"crypto/tls"
	"errors"
	"net"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// secured is a socket with TLS, by crypto/tls over the same event loop. Encryption costs
// the load generator several times the rest of a small request, and TLS copies what it
// sends: its numbers reflect TLS as much as the server.
type secured struct {
	wire *wire
	conn *tls.Conn
}

// record limits the bytes passed to TLS at once, and so the bytes waiting to be sent.
const record = 16 << 10

// secure creates a TLS connection over a connected socket. It waits for the handshake.
func secure(fd int, config *tls.Config) (*secured, error) {
	w := &wire{plain: plain{fd}, waits: true}
	s := &secured{wire: w, conn: tls.Client(w, config)}
	if err := s.conn.Handshake(); err != nil {
		return nil, err
	}
	w.waits = false
	return s, nil
}

func (s *secured) unsent() bool { return len(s.wire.pending) > 0 }

// read may leave decrypted bytes in TLS, for which no event comes.
func (s *secured) read(b []byte) (int, bool, error) {
	n, err := s.conn.Read(b)
	if errors.Is(err, errNotNow) {
		return 0, false, unix.EAGAIN
	}
	return n, true, err
}

func (s *secured) write(pieces []unix.Iovec) (sent int, err error) {
	for _, piece := range pieces {
		for rest := unsafe.Slice(piece.Base, piece.Len); len(rest) > 0; {
			if err := s.wire.flush(); err != nil {
				return sent, err
			}
			if s.unsent() {
				return sent, unix.EAGAIN
			}
			n, err := s.conn.Write(rest[:min(len(rest), record)])
			if sent += n; err != nil {
				return sent, err
			}
			rest = rest[n:]
		}
	}
	if len(pieces) == 0 {
		return 0, s.wire.flush()
	}
	return sent, nil
}

// wire is the connection below TLS. crypto/tls continues after a temporary read error, but
// not after a write error: so what cannot be sent is kept.
type wire struct {
	plain
	waits   bool // during the handshake
	pending []byte
	store   []byte // the memory of pending
}

// notNow is the error of a read that would block.
type notNow struct{}

// Error returns a text that is never shown.
func (notNow) Error() string { return "nothing to read at the moment" }

// Timeout returns true, to implement net.Error.
func (notNow) Timeout() bool { return true }

// Temporary returns true, so that TLS continues.
func (notNow) Temporary() bool { return true }

var errNotNow net.Error = notNow{}

// Read blocks only during the handshake.
func (w *wire) Read(b []byte) (int, error) {
	for {
		n, err := readNow(w.descriptor, b)
		switch {
		case !errors.Is(err, unix.EAGAIN):
			return n, err
		case !w.waits:
			return 0, errNotNow
		}
		if err := await(w.descriptor, unix.POLLIN, patience); err != nil {
			return 0, err
		}
	}
}

// Write accepts everything, and keeps what cannot be sent.
func (w *wire) Write(b []byte) (int, error) {
	if len(w.pending) == 0 {
		w.store = w.store[:0]
	}
	w.store = append(w.store, b...)
	w.pending = w.store[len(w.store)-len(w.pending)-len(b):]
	for {
		if err := w.flush(); err != nil {
			return 0, err
		}
		if len(w.pending) == 0 || !w.waits {
			return len(b), nil
		}
		if err := await(w.descriptor, unix.POLLOUT, patience); err != nil {
			return 0, err
		}
	}
}

// flush sends as much of pending as possible without blocking.
func (w *wire) flush() error {
	for len(w.pending) > 0 {
		piece := [1]unix.Iovec{{Base: &w.pending[0], Len: uint64(len(w.pending))}}
		n, err := w.write(piece[:])
		if errors.Is(err, unix.EAGAIN) {
			return nil
		}
		if err != nil {
			return err
		}
		w.pending = w.pending[n:]
	}
	return nil
}

// await waits until a socket is ready.
func await(fd int, events int16, limit time.Duration) error {
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: events}}, int(limit.Milliseconds()))
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return err
		case n == 0:
			return os.ErrDeadlineExceeded
		default:
			return nil
		}
	}
}

// The rest of net.Conn, unused by TLS here.

// Close does nothing: the client closes its socket.
func (w *wire) Close() error { return nil }

// LocalAddr returns an empty address.
func (w *wire) LocalAddr() net.Addr { return &net.UnixAddr{} }

// RemoteAddr returns an empty address.
func (w *wire) RemoteAddr() net.Addr { return &net.UnixAddr{} }

// SetDeadline does nothing: calls block only during the handshake.
func (w *wire) SetDeadline(time.Time) error { return nil }

// SetReadDeadline does nothing.
func (w *wire) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline does nothing.
func (w *wire) SetWriteDeadline(time.Time) error { return nil }
