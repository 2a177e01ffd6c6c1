//go:build !linux

package perf

import "errors"

func openKernel() (kernel, error) {
	return nil, errors.New("performance events exist only on Linux")
}
