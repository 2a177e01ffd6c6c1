package emulator

// Form is what the kernel sees of an emulated device. What the device holds, and how long
// it takes, is the same.
type Form string

const (
	// FUSE is a file in a filesystem of the emulator's own, which a loop device is put
	// on. It is there on every Linux.
	FUSE Form = "fuse"
	// NBD is a network block device whose connection leads to the emulator: a block
	// device by itself, with a shorter way.
	NBD Form = "nbd"
)

// FormVariable is an environment variable with the form that is to be used, whatever
// this machine could do.
const FormVariable = "PLINTH_EMULATOR"
