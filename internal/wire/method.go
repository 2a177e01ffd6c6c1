package wire

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"

	"plinth/internal/unit"
)

// Method is a call that sends events while it is in progress, and then a result or an error. Its name
// is unique, and a valid path of a URL, such as "telemetry/start".
type Method[In, Event, Out any] struct{ Name string }

// Handle sets what the agent does for a call. The function sends events at once, in order, from any of
// its goroutines; send blocks while the caller does not read, and does nothing once the function has
// returned or the caller is gone. If an event cannot be sent because of its size or content, the call
// is cancelled and fails. A panic becomes the call's error. All handlers are set before Serve.
func (m Method[In, Event, Out]) Handle(s *Server, f func(ctx context.Context, in In, send func(Event)) (Out, error)) {
	s.handle(m.Name, func(ctx context.Context, x *exchange, body io.Reader) error {
		var in In
		if err := x.request(body, &in); err != nil {
			return err
		}
		out, err := f(ctx, in, func(e Event) { x.event(e) })
		if err != nil {
			return err
		}
		return x.result(out)
	})
}

// Call calls the agent. event is called for each event, in order and before Call returns; it may be
// nil. While event does not return, the agent is slowed down. If the context ends, so does the
// handler's, and Call returns the context's error without waiting for the handler. If the connection
// ends, the error is a *LostError. An error of the handler has its text, hint and kind.
func (m Method[In, Event, Out]) Call(ctx context.Context, c *Conn, in In, event func(Event)) (out Out, err error) {
	body, err := c.post(ctx, m.Name, in)
	if err != nil {
		return out, err
	}
	defer body.Close()
	f := &frames{r: body, limits: map[byte]limit{
		frameEvent: {"an event", c.options.Event}, frameResult: {"the result", c.options.Result}, frameError: {"the error", mostError},
	}}
	failed, err := f.messages(func(kind byte, data []byte) error {
		if kind == frameResult {
			return decode(data, &out)
		}
		var e Event
		if err := decode(data, &e); err != nil {
			return err
		}
		if event != nil {
			event(e)
		}
		return nil
	})
	if err != nil {
		err = c.explain(ctx, m.Name, err)
	} else if failed != nil {
		err = failed.err(c.options.Kinds)
	}
	if err != nil {
		var none Out // without the part of a result that was decoded
		return none, err
	}
	return out, nil
}

// messages passes each message and the result to a function. It returns the failure instead, if there
// is one, and an error if the answer is not complete or continues after its end.
func (f *frames) messages(each func(kind byte, data []byte) error) (*failure, error) {
	for {
		kind, data, err := f.next()
		if err != nil {
			return nil, err
		}
		var failed *failure
		if kind == frameError {
			failed = new(failure)
			err = decode(data, failed)
		} else {
			err = each(kind, data)
		}
		if err != nil {
			return nil, err
		}
		if kind == frameError || kind == frameResult {
			return failed, f.end()
		}
	}
}

// end checks that the answer has ended.
func (f *frames) end() error {
	switch _, err := io.ReadFull(f.r, make([]byte, 1)); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return err
	}
	return errors.New("the answer continues after its end")
}

// Digest describes the content of a blob.
type Digest struct {
	Size   int64
	SHA256 [sha256.Size]byte
}

// Blob is a call whose result is a stream of bytes of any length, such as a file. Only a small part of
// it is in memory.
type Blob[In any] struct{ Name string }

// Handle sets what the agent sends for a call. The function writes to w, from one goroutine; w blocks
// while the caller does not read, and fails once the caller is gone. If the function returns an error,
// the caller has a part of the blob, and that error.
func (b Blob[In]) Handle(s *Server, f func(ctx context.Context, in In, w io.Writer) error) {
	s.handle(b.Name, func(ctx context.Context, x *exchange, body io.Reader) error {
		var in In
		if err := x.request(body, &in); err != nil {
			return err
		}
		w := newBlobWriter(x)
		if err := f(ctx, in, w); err != nil {
			return err
		}
		if err := w.flush(); err != nil {
			return err
		}
		return x.result(w.sum.digest())
	})
}

// Fetch copies a blob into w, and verifies its size and its checksum. On an error, w has a part of the
// blob, or a damaged one. Other errors are those of Method.Call.
func (b Blob[In]) Fetch(ctx context.Context, c *Conn, in In, w io.Writer) (Digest, error) {
	body, err := c.post(ctx, b.Name, in)
	if err != nil {
		return Digest{}, err
	}
	defer body.Close()
	f := &frames{r: body, limits: map[byte]limit{
		frameData: {"a part", mostData}, frameResult: {"the digest", unit.KiB}, frameError: {"the error", mostError},
	}}
	digest, failed, err := f.blob(w)
	var local *writeError
	switch {
	case errors.As(err, &local):
		return Digest{}, fmt.Errorf("cannot store what %s sends: %w", b.Name, local.error)
	case err != nil:
		return Digest{}, c.explain(ctx, b.Name, err)
	case failed != nil:
		return Digest{}, failed.err(c.options.Kinds)
	}
	return digest, nil
}

// writeError is an error of the writer that a blob is copied to.
type writeError struct{ error }

// blob copies the parts of an answer, and verifies them.
func (f *frames) blob(w io.Writer) (sent Digest, failed *failure, err error) {
	received := newDigester()
	failed, err = f.messages(func(kind byte, data []byte) error {
		if kind == frameResult {
			return decode(data, &sent)
		}
		received.add(data)
		if _, err := w.Write(data); err != nil {
			return &writeError{err}
		}
		return nil
	})
	if err == nil && failed == nil {
		err = received.compare(sent)
	}
	return sent, failed, err
}

// digester computes a digest.
type digester struct {
	hash hash.Hash
	size int64
}

func newDigester() *digester { return &digester{hash: sha256.New()} }

func (d *digester) add(p []byte) {
	d.hash.Write(p) // never fails
	d.size += int64(len(p))
}

func (d *digester) digest() (sum Digest) {
	sum.Size = d.size
	d.hash.Sum(sum.SHA256[:0])
	return sum
}

func (d *digester) compare(sent Digest) error {
	switch received := d.digest(); {
	case received.Size != sent.Size:
		return fmt.Errorf("%d bytes arrived of %d", received.Size, sent.Size)
	case received.SHA256 != sent.SHA256:
		return errors.New("what arrived is not what was sent: its checksum differs")
	}
	return nil
}

// blobWriter sends what is written in full frames.
type blobWriter struct {
	x     *exchange
	sum   *digester
	frame []byte
}

func newBlobWriter(x *exchange) *blobWriter {
	return &blobWriter{x, newDigester(), make([]byte, frameHeader, frameHeader+mostData)}
}

func (w *blobWriter) Write(p []byte) (n int, err error) {
	for n < len(p) {
		k := min(len(p)-n, cap(w.frame)-len(w.frame))
		w.frame = append(w.frame, p[n:n+k]...)
		n += k
		if len(w.frame) == cap(w.frame) {
			if err := w.flush(); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// flush sends what was written since the last frame.
func (w *blobWriter) flush() error {
	if len(w.frame) == frameHeader {
		return nil
	}
	w.sum.add(w.frame[frameHeader:])
	putHeader(w.frame, frameData)
	sent := w.x.data(w.frame)
	w.frame = w.frame[:frameHeader]
	if !sent {
		return fmt.Errorf("cannot send %s: the caller is gone", w.x.name)
	}
	return nil
}
