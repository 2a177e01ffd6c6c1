package neighbour

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"plinth/internal/hint"
)

func TestOutput(t *testing.T) {
	o := newOutput()
	text := `{"at":100000000,"written":5,"read":6,"size":7}` + "\n" + "nonsense\n" +
		`{"at":200000000,"written":65541,"read":6,"size":7}` + "\n" + `{"at":3`
	for _, b := range []byte(text) { // in the smallest pieces
		if n, err := o.Write([]byte{b}); n != 1 || err != nil {
			t.Fatal(n, err)
		}
	}
	<-o.ready
	if got, want := o.latest(), (progress{report: report{At: 200 * time.Millisecond, Written: 65541, Read: 6, Size: 7}}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	l := &Load{output: o, last: progress{report: report{At: 100 * time.Millisecond, Written: 5, Read: 6}}}
	if got := l.Reached(); got != (Reached{Write: 655360}) {
		t.Errorf("%+v", got)
	}
}

// Memory counts on average over the time, CPU as what was used in it, and what it took
// to get ready as nothing.
func TestReachedOfMemoryAndCPU(t *testing.T) {
	o := newOutput()
	l := &Load{output: o}
	tell := func(r report) {
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = o.Write(append(text, '\n'))
	}
	tell(report{At: -1, Held: 500})
	select {
	case <-o.ready:
		t.Error("it is ready while it fills its memory")
	default:
	}
	tell(report{At: 0, Held: 1000})
	l.last = o.latest()
	tell(report{At: 3 * time.Second, Held: 1000, Ran: 5 * time.Second, Waited: time.Second})
	tell(report{At: 4 * time.Second, Held: 200, Swapped: 800, Ran: 6 * time.Second, Waited: 2 * time.Second})
	if got, want := l.Reached(), (Reached{Memory: 800, Swapped: 200, CPU: 1.5, Waiting: 0.5}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestFailure(t *testing.T) {
	for said, want := range map[string][2]string{
		`{"error":"cannot write: input/output error"}` + "\n": {"cannot write: input/output error", ""},
		"noise\n" + `{"error":"no room","hint":"make room"}`:  {"no room", "make room"},
		"panic: oh":   {`the background load ended: "panic: oh"`, ""},
		"":            {`the background load ended: ""`, ""},
		`{"other":1}`: {`the background load ended: "{\"other\":1}"`, ""},
	} {
		o := newOutput()
		o.complaint.WriteString(said)
		if err := o.failure(); err.Error() != want[0] || hint.Of(err) != want[1] {
			t.Errorf("%q: %v (hint %q)", said, err, hint.Of(err))
		}
	}
}

func FuzzOutput(f *testing.F) {
	f.Add(`{"at":1,"written":2}`+"\n", 3)
	f.Add(strings.Repeat("x", 5000), 4096)
	f.Fuzz(func(t *testing.T, text string, cut int) {
		whole, parts := newOutput(), newOutput()
		_, _ = whole.Write([]byte(text))
		cut = min(max(cut, 0), len(text))
		_, _ = parts.Write([]byte(text[:cut]))
		_, _ = parts.Write([]byte(text[cut:]))
		if len(whole.rest) > longestLine || len(parts.rest) > longestLine {
			t.Errorf("it keeps %d and %d bytes", len(whole.rest), len(parts.rest))
		}
		if len(text) <= longestLine && whole.latest() != parts.latest() {
			t.Errorf("in one piece %+v, in two %+v", whole.latest(), parts.latest())
		}
	})
}
