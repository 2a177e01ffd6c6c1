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
)

// liveChunk is how much of live.jsonl is read at a time, in bytes; a line is
// never as long.
const liveChunk = 64 << 10

// LiveReader reads the points of the run in progress as they come. It remembers
// how far it has read; each Read costs as much as there is new. It is for one
// goroutine.
type LiveReader struct {
	path string
	// The file stays open until another one has its name: a file that is open keeps
	// its inode, which otherwise would soon be that of the next run's file.
	file   *os.File
	offset int64
}

// NewLiveReader reads those of the record at path, also when no run goes on yet.
func NewLiveReader(path string) *LiveReader { return &LiveReader{path: path} }

// Read returns the points that came since the last Read. A line that is not
// complete is left for later. Restarted says that the run of the points returned
// before is over, and that these are of another one, or of none.
func (l *LiveReader) Read() (points []Point, restarted bool, err error) {
	restarted, err = l.follow()
	if err == nil && l.file != nil {
		points, err = l.appended()
	}
	if err != nil {
		return points, restarted, cannotRead(l.path, damaged(runningDir+"/"+liveFile, bare(err)))
	}
	return points, restarted, nil
}

// Close lets go of the file. The reader may be used again, and begins anew.
func (l *LiveReader) Close() error {
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file, l.offset = nil, 0
	return err
}

// follow makes l.file the run's that goes on now, and says whether it was another's.
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

// openLive opens live.jsonl; there is no file where no run goes on.
func openLive(path string) (*os.File, fs.FileInfo, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = root.Close() }() // nothing was written
	// Not blocking: a FIFO would be waited for without end.
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
		err = errors.New("it is not a file")
	case info.Size() > maxLiveFile:
		err = fmt.Errorf("it has %d bytes, more than plinth writes", info.Size())
	default:
		return file, info, nil
	}
	return nil, nil, errors.Join(err, file.Close())
}

// appended reads the complete lines from l.offset on.
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

// parsePoints reads one point a line.
func parsePoints(lines []byte) ([]Point, error) {
	var points []Point
	for line := range bytes.Lines(lines) {
		var p Point
		if err := json.Unmarshal(line, &p); err != nil {
			return nil, err
		}
		for _, v := range []float64{p.Second, p.TPS, p.LatencyMS, float64(p.Failures)} {
			if v < 0 || v > math.MaxFloat32 {
				return nil, fmt.Errorf("%g is not a measurement", v)
			}
		}
		points = append(points, p)
	}
	return points, nil
}
