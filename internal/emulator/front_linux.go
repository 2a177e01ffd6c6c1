package emulator

import "golang.org/x/sys/unix"

// front is the form of the device that the kernel sees: where requests come from, and
// where their answers go. All that a device is lies behind it, and is the same whatever
// the form.
type front interface {
	// receive is a request to the device that has come whole, if there is one; came says
	// whether there was anything at all. An error is the end: nothing will come any more.
	// It never waits, and only one thread asks.
	receive() (r *request, came bool, err error)
	// answer sends what became of r. It is told nothing of an error: then nobody waits
	// for r any more. Several threads may answer.
	answer(r *request)
	// watch adds the file descriptors to wait on for requests.
	watch(fds []unix.PollFd) []unix.PollFd
	// stop ends the device, in order. It may still be in use.
	stop() error
}
