package redis

import "math"

// growth is how many bytes were appended to the append-only file. Its size tells that
// between two samples, unless a rewrite ended between them: then what was appended
// after it is known, and what was before is not. A load that writes large values has
// several rewrites a second, so that gaps would be all that is left. Commands are
// appended much as they came, so what came from clients in that time tells it, by how
// much of it was appended otherwise. (The server's write_bytes of /proc/PID/io would
// tell of the processes that rewrite, too, and of files on this machine only.)
type growth struct {
	bytes float64 // in all

	appended, input float64 // in times without the end of a rewrite
}

// add adds what was appended between two samples, and says whether that is known.
// Rewritten says that a rewrite was seen to end: sizes that are the same by chance
// would not show it.
func (g *growth) add(now, before *sample, rewritten bool) bool {
	input := now.input() - before.input()
	appended := now.values[aofSize] - before.values[aofSize]
	switch {
	case math.IsNaN(appended) || !(input >= 0): // it was off, or the server was restarted
		return false
	case rewritten || now.replaced(before):
		after := now.values[aofSize] - now.values[aofBase]
		if g.input == 0 {
			return false
		}
		appended = max(0, after, input*g.appended/g.input)
	default:
		g.appended += appended
		g.input += input
	}
	g.bytes += appended
	return true
}
