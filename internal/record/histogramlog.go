package record

import (
	"fmt"
	"os"
)

// maxHistogramLog is the longest histogram log that is read, in bytes: some twelve
// hours of a busy load. A picture of more would show none of its seconds.
const maxHistogramLog = 64 << 20

// HistogramLog reads the latency.hlog of a run of this record, and opens nothing
// outside of it. A run without one gives fs.ErrNotExist.
func (r *Record) HistogramLog(id RunID) ([]byte, error) {
	name := id.Path() + "/" + histogramFile
	root, err := os.OpenRoot(r.Path)
	if err != nil {
		return nil, fmt.Errorf("cannot read histogram log %s: %w", name, err)
	}
	defer root.Close()
	data, err := readFile(root, name, maxHistogramLog)
	if err != nil {
		return nil, fmt.Errorf("cannot read histogram log %w", err)
	}
	return data, nil
}
