//go:build !linux

package kernel

import "errors"

// list always fails: processes can be watched on Linux only.
func list(int, []byte, func([]byte)) error {
	return errors.New("processes can be watched on Linux only")
}
