//go:build !linux

package libvirt

import "errors"

func lend(string) (path string, done func(), err error) {
	return "", nil, errors.New("only Linux can do that")
}
