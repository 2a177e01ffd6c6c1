//go:build !linux

package pgbench

import "syscall"

// pipeCapacity is not known here, where no pgbench is ever started.
func pipeCapacity(syscall.RawConn) int { return 0 }

func pipeHolds(syscall.RawConn) int { return 0 }
