package life

import (
	"net"
	"time"
)

// Dialer returns a dialer whose connections fail within seconds if the other end is gone without a word,
// as that of a pod that was removed.
func Dialer() *net.Dialer {
	return &net.Dialer{
		Timeout:         reconnectLimit,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: time.Second, Interval: time.Second, Count: 3},
		Control:         giveUp,
	}
}

// giveUpAfter is how long data that was sent may stay unconfirmed: the keepalive does not look while some
// is.
const giveUpAfter = 4 * time.Second
