package engine

import (
	"errors"
	"io"
	"net"
)

// MistakeError is a mistake in the experiment that only a trial can find: the user's SQL that the
// server rejects, in the server's words, or an emulated device that is faster than this machine
// can emulate.
type MistakeError struct{ Err error }

func (e *MistakeError) Error() string { return e.Err.Error() }

func (e *MistakeError) Unwrap() error { return e.Err }

// Plain shortens a connection error to the words of the network layer. The result holds no
// password.
func Plain(err error) error {
	var network *net.OpError
	var name *net.DNSError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &name):
		return name
	case errors.As(err, &network):
		return network.Err // without the address, which the reader knows
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return errors.New("the server closed the connection")
	}
	return err
}
