package engine

import "time"

// LogFollower is a server on this machine whose log plinth reads. It calls each with what
// the server says from then on.
type LogFollower interface {
	FollowLog(each func(at time.Time, line string))
}

// Local is a server that may run on this machine.
type Local interface {
	PID() int // of its first process; 0 where it runs elsewhere, or cannot be told
}
