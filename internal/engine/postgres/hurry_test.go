//go:build linux

package postgres

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
)

// hurry makes the server's checkpointer use a checkpoint_timeout of one second, where the server
// itself allows no less than thirty: it writes the value into the process's memory. If the
// machine does not permit that, it sets thirty.
func hurry(t *testing.T, own *Own) {
	t.Helper()
	var pid int
	must(t, own.use(t.Context(), "", func(conn *pgx.Conn) error {
		return conn.QueryRow(t.Context(), "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'").Scan(&pid)
	}))
	if err := poke(pid, own.Programs.Postgres, "CheckPointTimeout", 1); err != nil {
		t.Logf("the checkpoint takes its time: %v", err)
		must(t, own.exec(t.Context(), own.name, "ALTER SYSTEM SET checkpoint_timeout = '30s'"))
		must(t, own.exec(t.Context(), own.name, "SELECT pg_reload_conf()"))
	}
	must(t, syscall.Kill(pid, syscall.SIGUSR1)) // wakes it to check the time
}

// poke overwrites a C int in a running program.
func poke(pid int, program, variable string, value uint32) error {
	address, err := symbol(pid, program, variable)
	if err != nil {
		return err
	}
	memory, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", pid), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = memory.WriteAt(binary.NativeEndian.AppendUint32(nil, value), int64(address))
	return errors.Join(err, memory.Close())
}

// symbol returns the address of a variable in a process that runs program.
func symbol(pid int, program, name string) (address uint64, err error) {
	file, err := elf.Open(program)
	if err != nil {
		return 0, err
	}
	defer func() { _ = file.Close() }()
	if file.Type == elf.ET_DYN { // position-independent
		if address, err = loadedAt(pid); err != nil {
			return 0, err
		}
	}
	symbols, err := file.DynamicSymbols()
	for _, s := range symbols {
		if s.Name == name {
			return address + s.Value, nil
		}
	}
	return 0, errors.Join(fmt.Errorf("%s does not show %s", program, name), err)
}

// loadedAt returns where a process's program starts in its memory: the first mapping of
// proc_pid_maps(5).
func loadedAt(pid int) (uint64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return 0, err
	}
	start, _, _ := strings.Cut(string(text), "-")
	return strconv.ParseUint(start, 16, 64)
}
