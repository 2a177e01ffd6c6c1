package wire

import (
	"context"
	"errors"
	"io"
	"time"
)

// Offset is the difference between the wall clocks of the two ends.
type Offset struct {
	Ahead  time.Duration // of the other end's clock
	Within time.Duration // the largest error of Ahead: half of the time that the question took
	At     time.Time     // of the measurement, by the caller's clock
}

// clockMethod is a method of every agent. Its result is the wall clock in nanoseconds since 1970.
var clockMethod = Method[struct{}, struct{}, int64]{"wire/clock"}

func handleClock(_ context.Context, x *exchange, body io.Reader) error {
	var in struct{}
	if err := x.request(body, &in); err != nil {
		return err
	}
	return x.result(x.options.Now().UnixNano())
}

// Clock asks the agent for the time n times. The quickest answer limits the error most: the agent's
// clock was read at some moment between the question and the answer.
func (c *Conn) Clock(ctx context.Context, n int) (Offset, error) {
	if n < 1 {
		return Offset{}, errors.New("cannot compare clocks: no measurement was requested")
	}
	var best Offset
	for i := range n {
		asked := c.options.Now()
		theirs, err := clockMethod.Call(ctx, c, struct{}{}, nil)
		if err != nil {
			return Offset{}, err
		}
		half := (c.options.Now().Sub(asked) + 1) / 2
		if at := asked.Add(half); i == 0 || half < best.Within {
			best = Offset{time.Duration(theirs - at.UnixNano()), half, at}
		}
	}
	return best, nil
}
