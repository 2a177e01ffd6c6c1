package life

import (
	"errors"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// giveUp sets how long a connection waits for a confirmation.
func giveUp(network, _ string, conn syscall.RawConn) error {
	if !strings.HasPrefix(network, "tcp") {
		return nil
	}
	var set error
	err := conn.Control(func(fd uintptr) {
		set = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(giveUpAfter.Milliseconds()))
	})
	return errors.Join(err, set)
}
