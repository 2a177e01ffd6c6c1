package engine

// MistakeError is a mistake in the experiment that only a trial can find: SQL of the
// user's own that the server refuses, in the server's words, or an emulated device that
// is faster than this machine can emulate.
type MistakeError struct{ Err error }

func (e *MistakeError) Error() string { return e.Err.Error() }
func (e *MistakeError) Unwrap() error { return e.Err }
