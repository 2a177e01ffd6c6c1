package postgres

// timer tells the timed checkpoints that were made from those that were not: the
// server counts every checkpoint_timeout that passes, and then skips the
// checkpoint where nothing was written since the last one. An idle server does
// that for ever, and a load that only reads does it, too.
//
// PostgreSQL itself says so from 18 on (num_done), and only once the checkpoint
// has ended. What all versions tell, and at the same moment as the count, is how
// many buffers checkpoints have written: none for one that was skipped.
type timer struct {
	known                     bool
	timed, requested, written int64 // as read last
	skipped                   int64 // of timed
}

// made is how many of the timed checkpoints were made. Where several causes came
// together since the last reading, all of them count.
func (t *timer) made(timed, requested, written int64) int64 {
	if timed < t.timed || written < t.written { // the server's statistics were reset
		*t = timer{}
	}
	if t.known && timed > t.timed && requested == t.requested && written == t.written {
		t.skipped += timed - t.timed
	}
	t.known, t.timed, t.requested, t.written = true, timed, requested, written
	return timed - t.skipped
}
