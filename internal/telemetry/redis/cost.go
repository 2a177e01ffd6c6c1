package redis

import "time"

// cost is what plinth's questions took of the server's main thread, as the server
// itself counts the time of INFO.
type cost struct {
	known       bool
	first, last command
}

// seen takes what the server has counted of INFO by now; nil where it does not tell it.
func (c *cost) seen(info *command) {
	if info == nil {
		return
	}
	if !c.known || info.calls < c.last.calls { // it was restarted, or its statistics were reset
		c.known, c.first = true, *info
	}
	c.last = *info
}

// of is the time of so many questions of plinth: others may have asked, too.
func (c *cost) of(asked float64) (time.Duration, bool) {
	calls := c.last.calls - c.first.calls
	if calls <= 0 {
		return 0, false
	}
	each := (c.last.usec - c.first.usec) * microseconds / calls
	return time.Duration(each * asked * float64(time.Second)), true
}
