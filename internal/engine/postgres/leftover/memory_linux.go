package leftover

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"plinth/internal/engine/life"

	"golang.org/x/sys/unix"
)

// clearSharedMemory removes the shared memory of the server that wrote lock in
// dir, when nobody uses it any more: the System V segment, whose only purpose is
// to tell whether processes of the server are left, and what it leads to. What
// does not say itself that it is that server's is left alone.
func clearSharedMemory(ctx context.Context, dir string, lock Lock) error {
	if lock.Segment < 0 {
		return nil
	}
	header, err := ReadSegment(lock.Segment)
	if err != nil || !header.Belongs(dir, lock.PID) {
		return nil // it is gone, or somebody else's by now
	}
	var desc unix.SysvShmDesc
	unused := func() bool {
		_, err = unix.SysvShmCtl(lock.Segment, unix.IPC_STAT, &desc)
		return err != nil || desc.Nattch == 0
	}
	if life.Poll(ctx, 3*time.Second, unused) != nil {
		return fmt.Errorf("%d processes still use its shared memory", desc.Nattch)
	}
	return RemoveMemory(lock.Segment, DynamicSegments(header.Control))
}

// ReadSegment reads the header of a System V segment by its number. The error says that
// it is not there, or none that plinth may read.
func ReadSegment(id int) (header SegmentHeader, err error) {
	content, err := unix.SysvShmAttach(id, 0, unix.SHM_RDONLY)
	if err != nil {
		return header, err
	}
	err = binary.Read(bytes.NewReader(content), binary.NativeEndian, &header)
	return header, errors.Join(err, unix.SysvShmDetach(content))
}

// SegmentHeader is the beginning of a postmaster's System V segment: struct
// PGShmemHeader of src/include/storage/pg_shmem.h, the same in 13 to 18 on
// machines with 64 bits.
type SegmentHeader struct {
	Magic      int32
	CreatorPID int32
	TotalSize  uint64
	FreeOffset uint64
	Control    uint32 // handle of the control segment of dynamic shared memory
	_          uint32
	_          uint64
	Device     uint64 // of the data directory
	Inode      uint64
}

// segmentMagic begins a postmaster's segment.
const segmentMagic = 679834894

// Belongs says whether the segment is that of a server in dir with the given
// process number. Numbers of segments are given again after a restart of the
// machine, so that a number alone says nothing.
func (h SegmentHeader) Belongs(dir string, pid int) bool {
	var stat syscall.Stat_t
	if syscall.Stat(dir, &stat) != nil {
		return false
	}
	return h.Magic == segmentMagic && int(h.CreatorPID) == pid &&
		h.Device == stat.Dev && h.Inode == stat.Ino
}

// MemoryOf is the shared memory of a running postmaster, by what it has
// mapped, so that no file of its data directory is needed: the files below
// /dev/shm, and the number of its segment, -1 where it cannot be told.
func MemoryOf(pid int) (files []string, segment int) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return nil, -1
	}
	for _, id := range mappedSegments(string(text)) {
		if header, err := ReadSegment(id); err == nil && header.Magic == segmentMagic && int(header.CreatorPID) == pid {
			return DynamicSegments(header.Control), id
		}
	}
	return nil, -1
}

// mappedSegments are the numbers of the System V segments in a process's maps,
// proc_pid_maps(5): they stand where files have their inode.
func mappedSegments(maps string) (ids []int) {
	for line := range strings.Lines(maps) {
		fields := strings.Fields(line)
		if len(fields) < 6 || !strings.HasPrefix(fields[5], "/SYSV") {
			continue
		}
		if id, err := strconv.Atoi(fields[4]); err == nil && id >= 0 {
			ids = append(ids, id)
		}
	}
	return ids
}

// RemoveMemory removes what MemoryOf has named. A process that is still
// about to end keeps what it has, and nobody else gets at it.
func RemoveMemory(segment int, files []string) error {
	for _, path := range files {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if segment < 0 {
		return nil
	}
	if _, err := unix.SysvShmCtl(segment, unix.IPC_RMID, nil); err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.EIDRM) {
		return fmt.Errorf("cannot remove shared memory segment %d: %w", segment, err)
	}
	return nil
}
