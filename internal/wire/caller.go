package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
)

// Conn is the caller's side of a connection. It may be used by several goroutines.
type Conn struct {
	line    *stream
	client  *http.ClientConn
	options Options
}

// Connect greets the agent at the other end of rw, which it closes if that fails. The context limits
// only the greeting. An error names what the other end is instead, or says: another version (a
// *VersionError), a program that is not an agent, nothing in time, or the end of its output.
func Connect(ctx context.Context, rw io.ReadWriteCloser, o Options) (*Conn, error) {
	o = o.withDefaults()
	line := newStream(context.WithoutCancel(ctx), rw)
	if err := greet(ctx, line, o, false); err != nil {
		_ = line.end(net.ErrClosed)
		return nil, fmt.Errorf("cannot connect: %w", err)
	}
	go line.watch(o.Lease) // also ends the stream if the agent does not read the first frames
	transport := &http.Transport{
		Protocols:          overHTTP2(),
		DisableCompression: true,
		HTTP2: &http.HTTP2Config{
			SendPingTimeout: o.Lease / 4, PingTimeout: neverLost,
			MaxReceiveBufferPerStream: streamWindow, MaxReadFrameSize: frameSize,
		},
		DialContext: func(context.Context, string, string) (net.Conn, error) { return line, nil },
	}
	client, err := transport.NewClientConn(ctx, "http", agentHost+":80")
	if err != nil {
		if reason := line.reason(); reason != nil {
			err = reason
		}
		_ = line.end(net.ErrClosed)
		return nil, fmt.Errorf("cannot connect: %w", err)
	}
	return &Conn{line, client, o}, nil
}

// agentHost is the host of all requests: HTTP requires one.
const agentHost = "agent"

// Close ends the connection, and with it all calls in progress. The agent cancels them.
func (c *Conn) Close() error {
	return c.line.end(net.ErrClosed)
}

// Done is closed when the connection has ended.
func (c *Conn) Done() <-chan struct{} { return c.line.ctx.Done() }

// Err returns nil, or why the connection has ended, as a *LostError.
func (c *Conn) Err() error {
	if reason := c.line.reason(); reason != nil {
		return &LostError{reason}
	}
	return nil
}

// post sends a request, and returns the answer.
func (c *Conn) post(ctx context.Context, name string, in any) (io.ReadCloser, error) {
	frame, err := encode(0, in)
	if err == nil {
		err = checkSize("the request", frame, c.options.Request)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot call %s: %w", name, err)
	}
	body := frame[frameHeader:]
	request := &http.Request{
		Method:        http.MethodPost,
		URL:           &url.URL{Scheme: "http", Host: agentHost, Path: "/" + name},
		Host:          agentHost,
		Header:        http.Header{"User-Agent": nil}, // net/http would add it
		Body:          io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body)),
	}
	response, err := c.client.RoundTrip(request.WithContext(ctx))
	if err != nil {
		return nil, c.explain(ctx, name, err)
	}
	if response.StatusCode != http.StatusOK {
		response.Body.Close()
		return nil, fmt.Errorf("cannot call %s: the agent answers %s", name, response.Status)
	}
	return response.Body, nil
}

// explain says why a call ended without a result: the caller's context, the connection, or this call
// alone.
func (c *Conn) explain(ctx context.Context, name string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if reason := c.line.reason(); reason != nil && !errors.Is(reason, errProtocol) {
		err = &LostError{reason}
	} else if c.client.Err() != nil { // net/http closes the stream a moment later
		err = &LostError{err}
	}
	return fmt.Errorf("cannot call %s: %w", name, inside(err))
}
