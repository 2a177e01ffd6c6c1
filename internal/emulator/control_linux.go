package emulator

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"time"
)

// listen creates the control socket.
func listen(path string) (net.Listener, error) {
	_ = os.Remove(path) // left behind by a killed emulator
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("cannot listen for commands: %w", err)
	}
	return l, nil
}

// obey serves each connection in its own goroutine.
func obey(l net.Listener, s *server) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return // the socket closes when the process exits
		}
		go s.converse(conn)
	}
}

// orderWait is how long a client may take to send its request.
const orderWait = 10 * time.Second

// converse serves one request.
func (s *server) converse(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(orderWait))
	lines := bufio.NewScanner(conn)
	lines.Buffer(nil, lineLimit)
	if !lines.Scan() {
		return
	}
	_ = json.NewEncoder(conn).Encode(s.obey(lines.Bytes()))
}

func (s *server) obey(line []byte) answer {
	var o order
	if err := json.Unmarshal(line, &o); err != nil {
		return answer{Error: "cannot read the command: " + err.Error()}
	}
	if o.Do == doRead {
		return answer{Reading: s.disk.reading().wire()}
	}
	if err := s.carryOut(o); err != nil {
		return answer{Error: err.Error()}
	}
	return answer{}
}

func (s *server) carryOut(o order) error {
	switch {
	case o.Do == doRefill:
		s.disk.refill()
	case o.Do == doDevice && o.Device != nil:
		return s.disk.become(*o.Device)
	case o.Do == doCalibrate && o.Path != nil && o.Path.Read >= 0 && o.Path.Write >= 0:
		s.disk.calibrate(*o.Path)
	case o.Do == doPowerCut, o.Do == doPowerOn:
		return s.power(o.Do == doPowerOn)
	case o.Do == doDevice, o.Do == doCalibrate:
		return errors.New("the command has no argument")
	default:
		return fmt.Errorf("%q is not a command", o.Do)
	}
	return nil
}
