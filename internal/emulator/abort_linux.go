package emulator

// Abort ends the connection of the emulator that has mounted on mount, however it
// fares: all I/O to it fails at once and nothing waits for it any more. The mount
// itself stays, so that what stands on it can be taken down first, and Unmount
// last. Nothing mounted is no error.
func Abort(mount string) error {
	m, err := mountedOn(mount)
	if err != nil || m.Type != filesystemType {
		return err
	}
	return abort(m)
}
