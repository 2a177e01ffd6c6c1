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

// clearSharedMemory removes the shared memory of the server that wrote lock in dir, once no
// process uses it any longer: the System V segment, whose only purpose is to show whether
// processes of the server are left, and the segments that it leads to. It removes only what
// identifies itself as that server's.
func clearSharedMemory(ctx context.Context, dir string, lock Lock) error {
	if lock.Segment < 0 {
		return nil
	}
	header, err := ReadSegment(lock.Segment)
	if err != nil || !header.Belongs(dir, lock.PID) {
		return nil // it is gone, or belongs to another server
	}
	var desc unix.SysvShmDesc
	unused := func() bool {
		_, err = unix.SysvShmCtl(lock.Segment, unix.IPC_STAT, &desc)
		return err != nil || desc.Nattch == 0
	}
	if life.Poll(ctx, 3*time.Second, unused) != nil {
		return fmt.Errorf("shared memory ID %d is still in use", lock.Segment)
	}
	return RemoveMemory(lock.Segment, DynamicSegments(header.Control))
}

// ReadSegment reads the header of a System V segment by its ID. It returns an error if the
// segment does not exist, or plinth may not read it.
func ReadSegment(id int) (header SegmentHeader, err error) {
	content, err := unix.SysvShmAttach(id, 0, unix.SHM_RDONLY)
	if err != nil {
		return header, err
	}
	err = binary.Read(bytes.NewReader(content), binary.NativeEndian, &header)
	return header, errors.Join(err, unix.SysvShmDetach(content))
}

// SegmentHeader is the start of a postmaster's System V segment: struct PGShmemHeader of
// src/include/storage/pg_shmem.h, the same in 13 to 18 on 64-bit machines.
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

// segmentMagic starts a postmaster's segment.
const segmentMagic = 679834894

// Belongs reports whether the segment belongs to a server in dir with the given PID. Segment IDs
// are reused after a reboot, so an ID alone proves nothing.
func (h SegmentHeader) Belongs(dir string, pid int) bool {
	var stat syscall.Stat_t
	if syscall.Stat(dir, &stat) != nil {
		return false
	}
	return h.Magic == segmentMagic && int(h.CreatorPID) == pid &&
		h.Device == stat.Dev && h.Inode == stat.Ino
}

// MemoryOf returns the shared memory of a running postmaster, found by its mappings, without any
// file of its data directory: the files in /dev/shm, and the ID of its segment, -1 if unknown.
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

// mappedSegments returns the IDs of the System V segments in a process's maps, proc_pid_maps(5):
// they are in the column of the inode.
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

// RemoveMemory removes what MemoryOf returned. A process that is about to exit keeps its
// mappings, but no other process can attach. The segment was written by the server's user: of the
// files that it leads to, only those of that user are removed.
func RemoveMemory(segment int, files []string) error {
	if segment < 0 {
		return nil
	}
	var desc unix.SysvShmDesc
	if _, err := unix.SysvShmCtl(segment, unix.IPC_STAT, &desc); err != nil {
		files = nil // the server has removed all of it
	}
	for _, path := range files {
		var file unix.Stat_t
		if unix.Lstat(path, &file) != nil || file.Uid != desc.Perm.Cuid { // the creator, which its owner cannot change
			continue
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if _, err := unix.SysvShmCtl(segment, unix.IPC_RMID, nil); err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.EIDRM) {
		return fmt.Errorf("cannot remove shared memory segment %d: %w", segment, err)
	}
	return nil
}
