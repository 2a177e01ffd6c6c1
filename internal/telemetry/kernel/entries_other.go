//go:build !linux

package kernel

import "errors"

// list always fails: processes can be monitored only on Linux.
func list(int, []byte, func([]byte)) error {
	return errors.New("processes can be monitored only on Linux")
}
