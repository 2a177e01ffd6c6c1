package redisbench

import (
	"fmt"
	"strings"

	"plinth/internal/host/launch"
)

// words picks from standard error what names the cause: the first line that is no
// warning. Each of several clients may say the same.
type words struct{ first string }

func (w *words) line(line string) {
	switch {
	case strings.HasPrefix(line, "WARNING"):
	case w.first == "":
		w.first = line
	case strings.HasSuffix(w.first, ":"): // "Node ... replied with error:"
		w.first += " " + line
	}
}

// failure explains why redis-benchmark did not go to its end; nil when it did. What
// a server refused is in the server's words.
func (r *run) failure(status launch.ExitStatus) error {
	name := r.program.Name
	if refused, isRefusal := strings.CutPrefix(r.words.first, refusalWords); isRefusal {
		return fmt.Errorf("cannot finish the run: the server refused a request: %s", refused)
	}
	switch {
	case r.watch.refusal != "":
		return fmt.Errorf("cannot finish the run: the server refused a request: %s", r.watch.refusal)
	case status.Signal == nil && status.Code == 0:
		return nil
	case r.words.first != "":
		return fmt.Errorf("cannot finish the run: %s: %s", name, strings.TrimPrefix(r.words.first, "Error: "))
	case status.Signal != nil:
		return fmt.Errorf("cannot finish the run: %s was ended by a signal: %s", name, status.Signal)
	}
	return fmt.Errorf("cannot finish the run: %s ended with exit code %d", name, status.Code)
}
