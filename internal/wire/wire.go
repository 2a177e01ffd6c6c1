// Package wire connects two plinth processes over one pair of byte streams: the caller, which carries
// out an experiment, and an agent on another machine. The streams are the standard input and output of
// "ssh host plinth agent", of an exec in a pod, or of any other command. Neither process listens on a
// network.
//
// The connection is HTTP/2 without TLS, from net/http: it has concurrent calls, back-pressure,
// cancellation and pings. The program that carries the streams, such as ssh, encrypts and
// authenticates. Before HTTP/2 each end sends one line with its version, the agent first: nothing is
// sent to a program that is not an agent, and both ends know exactly the same messages.
package wire

import (
	"time"

	"plinth/internal/unit"
)

// Options of one end of a connection. The zero value is usable.
type Options struct {
	// Version is the version of the program, up to 200 bytes. A connection needs the same version on
	// both ends.
	Version string
	// Lease is how long the other end may be silent before it is given up: 10 s if zero. Both ends
	// send pings four times as often.
	Lease time.Duration
	// Greeting is how long to wait for the first line of the other end: 30 s if zero.
	Greeting time.Duration
	// Request, Event and Result limit the size of messages: 16 MiB, 1 MiB and 64 MiB if zero. The
	// sender checks them, and so does the receiver, before it allocates memory.
	Request, Event, Result unit.Size
	// Kinds are the errors that errors.Is and errors.As find on the caller's side as they would on the
	// agent's. Both ends need the same list.
	Kinds []Kind
}

// Kind is a kind of error that keeps its meaning on the way to the caller.
type Kind struct {
	Name string
	// Is reports whether an error of the agent is of this kind. The first kind that fits is sent.
	Is func(error) bool
	// Wrap makes an error of this kind from one with the text of the agent's error.
	Wrap func(error) error
}

func (o Options) withDefaults() Options {
	o.Lease = orDefault(o.Lease, 10*time.Second)
	o.Greeting = orDefault(o.Greeting, 30*time.Second)
	o.Request = orDefault(o.Request, 16*unit.MiB)
	o.Event = orDefault(o.Event, unit.MiB)
	o.Result = orDefault(o.Result, 64*unit.MiB)
	return o
}

// orDefault returns v, or else if v is zero or negative.
func orDefault[T ~int64](v, otherwise T) T {
	if v > 0 {
		return v
	}
	return otherwise
}
