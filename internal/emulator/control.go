package emulator

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"time"

	"plinth/internal/device"
)

// The control protocol: one line of JSON each way over a Unix socket, and one connection per
// request, so that an abandoned request leaves no partial answer behind.

// order is a request to the emulator.
type order struct {
	Do     string         `json:"do"`
	Device *device.Device `json:"device,omitempty"`
	Path   *Path          `json:"path,omitempty"`
}

// The values of order.Do.
const (
	doRead      = "read"
	doRefill    = "refill"
	doDevice    = "device"
	doCalibrate = "calibrate"
	doPowerCut  = "power-cut"
	doPowerOn   = "power-on"
)

// answer is the reply to an order; an empty Error means success.
type answer struct {
	Error   string       `json:"error,omitempty"`
	Reading *wireReading `json:"reading,omitempty"`
}

// lineLimit is the maximum length of a request or an answer, in bytes.
const lineLimit = 1 << 20

// answerLimit is the timeout of a request, whatever the caller's deadline. A power cut or a
// refill does not wait for anything, so an emulator that takes longer is hung.
const answerLimit = 10 * time.Second

func ask(ctx context.Context, socket string, o order) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "unix", socket)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = conn.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	a, err := exchange(conn, o)
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return a, err
}

func exchange(conn net.Conn, o order) (answer, error) {
	var a answer
	if err := json.NewEncoder(conn).Encode(o); err != nil {
		return a, err
	}
	lines := bufio.NewScanner(conn)
	lines.Buffer(nil, lineLimit)
	if !lines.Scan() {
		if lines.Err() != nil {
			return a, lines.Err()
		}
		return a, errors.New("it closed the connection")
	}
	if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
		return a, fmt.Errorf("cannot read its answer: %w", err)
	}
	if a.Error != "" {
		return a, errors.New(a.Error)
	}
	return a, nil
}
