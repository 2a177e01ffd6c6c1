package neighbour

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"plinth/internal/hint"
)

// report is a line that the process of a load prints.
type report struct {
	At      time.Duration `json:"at"`      // since the load began, in nanoseconds; negative during preparation
	Written int64         `json:"written"` // bytes
	Read    int64         `json:"read"`
	Size    int64         `json:"size"`    // of its file
	Held    int64         `json:"held"`    // bytes in memory now
	Swapped int64         `json:"swapped"` // bytes swapped out now
	Ran     time.Duration `json:"ran"`     // of all busy threads
	Waited  time.Duration `json:"waited"`  // for a CPU
}

// complaint is the last line of a process that failed.
type complaint struct {
	Error string `json:"error"`
	Hint  string `json:"hint,omitempty"`
}

// progress is the state of a load.
type progress struct {
	report
	memory, swapped float64 // bytes times seconds, since it began
}

// output receives the output of a load's process.
type output struct {
	complaint bytes.Buffer  // its standard error; read after its end
	ready     chan struct{} // closed with the first report

	mu   sync.Mutex
	rest []byte // of a line
	now  progress
	any  bool
}

func newOutput() *output { return &output{ready: make(chan struct{})} }

// longestLine is longer than any report.
const longestLine = 4096

// Write receives a part of the reports. It never fails: invalid reports are ignored.
func (o *output) Write(text []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.rest = append(o.rest, text...)
	for {
		line, rest, found := bytes.Cut(o.rest, []byte("\n"))
		if !found {
			break
		}
		o.rest = rest
		o.take(line)
	}
	if len(o.rest) > longestLine {
		o.rest = nil
	}
	return len(text), nil
}

func (o *output) take(line []byte) {
	var r report
	if json.Unmarshal(line, &r) != nil {
		return
	}
	if r.At < 0 {
		o.now.report = r
		return
	}
	since := max(0, r.At-max(0, o.now.At)).Seconds()
	o.now = progress{r, o.now.memory + since*float64(r.Held), o.now.swapped + since*float64(r.Swapped)}
	if !o.any {
		o.any = true
		close(o.ready)
	}
}

func (o *output) latest() progress {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.now
}

// failure returns the reason why the process ended, as it reported it.
func (o *output) failure() error {
	text := strings.TrimSpace(o.complaint.String())
	last := text[strings.LastIndexByte(text, '\n')+1:]
	var c complaint
	if json.Unmarshal([]byte(last), &c) != nil || c.Error == "" {
		return fmt.Errorf("the background load ended: %q", last)
	}
	err := errors.New(c.Error)
	if c.Hint != "" {
		err = hint.Wrap(err, c.Hint)
	}
	return err
}
