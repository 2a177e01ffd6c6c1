package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"syscall"

	"plinth/internal/record/files"
)

// liveChunk is the number of bytes of live.jsonl read at a time; every line is shorter.
const liveChunk = 64 << 10

// LiveReader reads the points of the run in progress as they are written. It remembers its
// position, so each Read costs only what is new. It is not safe for concurrent use.
type LiveReader struct {
	path string
	// The file stays open until its name refers to another file: an open file keeps its inode,
	// which otherwise the next run's file would soon reuse.
	file   *os.File
	offset int64
}

// NewLiveReader returns a LiveReader of the record at path, which need not have a run in
// progress.
func NewLiveReader(path string) *LiveReader { return &LiveReader{path: path} }

// Read returns the points written since the last Read. It leaves an incomplete line for later.
// restarted reports that the run of the earlier points is over; the points returned belong to the
// next run, if any.
func (l *LiveReader) Read() (points []Point, restarted bool, err error) {
	restarted, err = l.follow()
	if err == nil && l.file != nil {
		points, err = l.appended()
	}
	if err != nil {
		return points, restarted, cannotRead(l.path, files.Damaged(runningDir+"/"+liveFile, files.Bare(err)))
	}
	return points, restarted, nil
}

// Close closes the file. The next Read starts from the beginning.
func (l *LiveReader) Close() error {
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file, l.offset = nil, 0
	return err
}

// follow points l.file at the file of the current run and reports whether it replaced another
// run's.
func (l *LiveReader) follow() (restarted bool, err error) {
	now, info, err := openLive(l.path)
	if err != nil {
		return false, err
	}
	if l.file != nil && now != nil {
		if before, err := l.file.Stat(); err == nil && os.SameFile(before, info) && info.Size() >= l.offset {
			return false, now.Close()
		}
	}
	restarted = l.file != nil
	err = l.Close()
	l.file = now
	return restarted, err
}

// openLive opens live.jsonl; it returns a nil file if no run is in progress.
func openLive(path string) (*os.File, fs.FileInfo, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = root.Close() }() // nothing was written
	// Non-blocking, because opening a FIFO would hang.
	file, err := root.OpenFile(runningDir+"/"+liveFile, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = errors.New("not a regular file")
	case info.Size() > maxLiveFile:
		err = fmt.Errorf("too large: %d bytes, more than plinth ever writes", info.Size())
	default:
		return file, info, nil
	}
	return nil, nil, errors.Join(err, file.Close())
}

// appended reads the complete lines after l.offset.
func (l *LiveReader) appended() ([]Point, error) {
	var points []Point
	chunk := make([]byte, liveChunk)
	for l.offset <= maxLiveFile {
		n, err := l.file.ReadAt(chunk, l.offset)
		if err != nil && !errors.Is(err, io.EOF) {
			return points, err
		}
		lines := chunk[:bytes.LastIndexByte(chunk[:n], '\n')+1]
		if len(lines) == 0 && n == len(chunk) {
			return points, errors.New("a line is too long")
		}
		added, err := parsePoints(lines)
		if err != nil {
			return points, err
		}
		points = append(points, added...)
		l.offset += int64(len(lines))
		if n < len(chunk) {
			break
		}
	}
	return points, nil
}

// parsePoints parses one point per line.
func parsePoints(lines []byte) ([]Point, error) {
	var points []Point
	for line := range bytes.Lines(lines) {
		var p Point
		if err := json.Unmarshal(line, &p); err != nil {
			return nil, err
		}
		for _, v := range []float64{p.Second, p.TPS, p.LatencyMS, float64(p.Failures)} {
			if v < 0 || v > math.MaxFloat32 {
				return nil, fmt.Errorf("%g is not a valid measurement", v)
			}
		}
		points = append(points, p)
	}
	return points, nil
}
