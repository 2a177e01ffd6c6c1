//go:build !linux

package perf

import "errors"

func openKernel(string) (kernel, func(), error) {
	return nil, nil, errors.New("performance events exist only on Linux")
}
