package reachtest

import (
	"errors"
	"io"
	"net"
	"time"
)

// relayName is the first argument of a process that is a relay.
const relayName = "reachtest-relay"

// relay passes bytes between a connection to address and in and out, each of them later by delay.
func relay(address string, delay time.Duration, in io.Reader, out io.Writer) error {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() {
		_ = pass(conn, in, delay)
		_ = conn.(*net.TCPConn).CloseWrite()
	}()
	go func() { ended <- pass(out, conn, delay) }()
	return <-ended
}

// chunk is data that was read, and when it is due.
type chunk struct {
	data []byte
	due  time.Time
}

// pass copies from in to out, each chunk delay after it was read. The queue holds more than a
// fast connection reads within a delay, so it does not limit the rate.
func pass(out io.Writer, in io.Reader, delay time.Duration) error {
	queue := make(chan chunk, 1<<14)
	go func() {
		defer close(queue)
		for {
			data := make([]byte, 32<<10)
			n, err := in.Read(data)
			if n > 0 {
				queue <- chunk{data[:n], time.Now().Add(delay)}
			}
			if err != nil {
				queue <- chunk{nil, time.Now().Add(delay)} // the end is late, too
				return
			}
		}
	}()
	var failed error
	for c := range queue {
		time.Sleep(time.Until(c.due))
		if failed == nil && c.data != nil {
			_, failed = out.Write(c.data)
		}
		if failed != nil {
			return errors.Join(failed)
		}
	}
	return nil
}
