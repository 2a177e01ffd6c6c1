package tune

// Machine is the door to the files by which a kernel is tuned: those of /proc and
// /sys. Kernel is the real one; tests have others.
type Machine interface {
	// Read is the content of a file without the newline at its end.
	Read(path string) (string, error)
	// Write writes a value by one write(2), as the kernel wants it.
	Write(path, value string) error
	// Match are the paths that a pattern of filepath.Match stands for, in order.
	Match(pattern string) ([]string, error)
	// Boot is the id of this boot.
	Boot() string
}
