package wire

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// chunk is the number of bytes read or written at once: the capacity of a pipe on Linux.
const chunk = 64 << 10

// errProtocol is the reason if net/http closes a connection by itself.
var errProtocol = errors.New("the other end did not follow the protocol")

// errClosed is the reason if the other end closed the connection.
var errClosed = errors.New("the other end closed it")

// stream makes a net.Conn from a pair of byte streams. Two goroutines do the actual reading and
// writing, because net/http relies on Close to end a Read and a Write in progress: closing a standard
// input or output does not do that.
type stream struct {
	rw     io.ReadWriteCloser
	ctx    context.Context // until the connection ends; its cause is the reason
	cancel context.CancelCauseFunc
	close  func() error
	heard  atomic.Int64 // bytes read

	reading sync.Mutex // guards current and rest
	current []byte     // the buffer that rest is part of
	rest    []byte     // read, but not yet returned
	free    chan []byte
	filled  chan filling

	writing sync.Mutex // guards pending, which belongs to the goroutine that writes during a Write
	pending []byte
	toWrite chan []byte
	written chan error
}

type filling struct {
	data []byte
	err  error
}

// newStream returns a connection over rw. It ends, and rw is closed, when the context is cancelled.
func newStream(ctx context.Context, rw io.ReadWriteCloser) *stream {
	s := &stream{rw: rw, close: sync.OnceValue(rw.Close), pending: make([]byte, chunk),
		free: make(chan []byte, 2), filled: make(chan filling), toWrite: make(chan []byte), written: make(chan error, 1)}
	s.free <- make([]byte, chunk)
	s.free <- make([]byte, chunk)
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	context.AfterFunc(s.ctx, func() { s.close() }) //nolint:errcheck // the connection ended for another reason, and net/http must not wait
	go s.readAll()
	go s.writeAll()
	return s
}

// readAll reads until the connection ends. If Close does not end a Read of rw, readAll returns when
// that Read does.
func (s *stream) readAll() {
	for {
		var f filling
		select {
		case f.data = <-s.free:
		case <-s.ctx.Done():
			return
		}
		var n int
		n, f.err = s.rw.Read(f.data)
		f.data = f.data[:n]
		s.heard.Add(int64(n))
		select {
		case s.filled <- f:
		case <-s.ctx.Done():
			return
		}
		if f.err != nil {
			return
		}
	}
}

func (s *stream) writeAll() {
	for {
		select {
		case data := <-s.toWrite:
			_, err := s.rw.Write(data)
			s.written <- err
		case <-s.ctx.Done():
			return
		}
	}
}

// Read returns what was read before an error first, and ends the connection with that error.
func (s *stream) Read(p []byte) (int, error) {
	s.reading.Lock()
	defer s.reading.Unlock()
	for len(s.rest) == 0 {
		if s.current != nil {
			s.free <- s.current[:chunk]
			s.current = nil
		}
		select {
		case f := <-s.filled:
			if len(f.data) == 0 && f.err != nil {
				s.fail(f.err)
				return 0, io.EOF
			}
			if f.err != nil {
				go s.again(f.err)
			}
			s.current, s.rest = f.data, f.data
		case <-s.ctx.Done():
			return 0, net.ErrClosed
		}
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// again reports an error that came with data, once the data was read.
func (s *stream) again(err error) {
	select {
	case s.filled <- filling{err: err}:
	case <-s.ctx.Done():
	}
}

// Write ends the connection if it fails: the other end would miss a part of what it reads.
func (s *stream) Write(p []byte) (n int, err error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	for n < len(p) {
		if s.ctx.Err() != nil { // pending may still be in use
			return n, net.ErrClosed
		}
		part := s.pending[:copy(s.pending, p[n:])]
		select {
		case s.toWrite <- part:
		case <-s.ctx.Done():
			return n, net.ErrClosed
		}
		select {
		case err := <-s.written:
			if err != nil {
				s.fail(err)
				return n, err
			}
		case <-s.ctx.Done():
			return n, net.ErrClosed
		}
		n += len(part)
	}
	return n, nil
}

// fail ends the connection, unless it has ended already. The first reason is kept.
func (s *stream) fail(reason error) {
	for _, closed := range []error{io.EOF, io.ErrClosedPipe, os.ErrClosed, syscall.EPIPE, syscall.ECONNRESET} {
		if errors.Is(reason, closed) {
			reason = errClosed
			break
		}
	}
	s.cancel(reason)
}

// end ends the connection, and returns when rw is closed.
func (s *stream) end(reason error) error {
	s.fail(reason)
	return s.close()
}

// reason returns why the connection ended, or nil.
func (s *stream) reason() error { return context.Cause(s.ctx) }

// watch ends the connection with ErrSilent after a lease without a byte from the other end. It counts
// quarters of the lease in which it ran, not time: a process that was stopped, and then continues,
// finds what arrived meanwhile before it gives up.
func (s *stream) watch(lease time.Duration) {
	quarters := time.NewTicker(max(lease/4, 1))
	defer quarters.Stop()
	for quiet, heard := 0, int64(0); quiet < 4; quiet++ {
		select {
		case <-s.ctx.Done():
			return
		case <-quarters.C:
		}
		if now := s.heard.Load(); now != heard {
			quiet, heard = -1, now
		}
	}
	s.fail(ErrSilent)
}

// Close is called by net/http; this package calls fail.
func (s *stream) Close() error {
	s.fail(errProtocol)
	return nil
}

// SetDeadline does nothing. net/http sets deadlines for timeouts that this package does not use, and to
// interrupt HTTP/1.
func (s *stream) SetDeadline(time.Time) error { return nil }

// SetReadDeadline does nothing.
func (s *stream) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline does nothing.
func (s *stream) SetWriteDeadline(time.Time) error { return nil }

// address is an address for net/http, which does not use it.
type address struct{}

// Network returns a name.
func (address) Network() string { return "wire" }

func (address) String() string { return "wire" }

// LocalAddr returns an address for net/http.
func (s *stream) LocalAddr() net.Addr { return address{} }

// RemoteAddr returns an address for net/http.
func (s *stream) RemoteAddr() net.Addr { return address{} }

// pair is an io.ReadWriteCloser of two streams.
type pair struct {
	io.ReadCloser
	out io.WriteCloser
}

// Write sends data to the other end.
func (p pair) Write(data []byte) (int, error) { return p.out.Write(data) }

// Close closes both streams.
func (p pair) Close() error { return errors.Join(p.out.Close(), p.ReadCloser.Close()) }

// Streams joins what comes from the other end and what goes to it, such as the standard output and
// input of a command.
func Streams(in io.ReadCloser, out io.WriteCloser) io.ReadWriteCloser { return pair{in, out} }
