//go:build !linux

package pgbench

import "syscall"

// pipeCapacity returns 0: pgbench is never started on this system.
func pipeCapacity(syscall.RawConn) int { return 0 }

func pipeHolds(syscall.RawConn) int { return 0 }
