package engine

// MistakeError is a mistake in the experiment that only a server can find: SQL
// of the user's own that it refuses. The error is in the server's words.
type MistakeError struct{ Err error }

func (e *MistakeError) Error() string { return e.Err.Error() }
func (e *MistakeError) Unwrap() error { return e.Err }
