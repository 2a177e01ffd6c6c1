package volume

import (
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"plinth/internal/host/proc"
)

// work watches whether a disk works.
type work struct {
	files []string // of the kernel's counters
	count string
	since time.Time // when count was new
}

// watchWork watches a block device; all of them where source is none, but a pool.
func watchWork(source string) *work {
	files := []string{filepath.Join(sysBlock, sysNameOf(source), "stat")}
	if readWord(files[0]) == "" {
		files, _ = filepath.Glob("/sys/block/*/stat")
	}
	w := &work{files: files}
	w.rested()
	return w
}

// rested is for how long no operation has come to its end, as far as it was asked.
func (w *work) rested() time.Duration {
	var count strings.Builder
	for _, file := range w.files {
		count.WriteString(finished(readWord(file)) + "\n")
	}
	if now := count.String(); now != w.count {
		w.count, w.since = now, time.Now()
	}
	return time.Since(w.since)
}

// finished are the reads, writes, discards and flushes that have come to their end,
// out of a disk's counters (Documentation/block/stat.rst). The times in it go on
// while the disk hangs.
func finished(stat string) string {
	var n proc.Disk
	known := proc.CutNumbers([]byte(stat), n[:])
	var found []string
	for _, at := range []int{0, 4, 11, 15} {
		if at < known {
			found = append(found, strconv.FormatUint(n[at], 10))
		}
	}
	return strings.Join(found, " ")
}
