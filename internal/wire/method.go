package wire

import (
	"context"
	"errors"
	"io"
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
