package emulator

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"plinth/internal/device"
	"plinth/internal/unit"
)

// virtual is a server in virtual time, which only the test advances, and its front. Each client
// requests another page when its answer arrives.
type virtual struct {
	server *server
	now    time.Duration
	write  bool // clients write instead of reading

	came []*request
	left int                      // requests that clients have not sent yet
	sent map[uint64]time.Duration // when each request was sent, by number
	took []time.Duration          // duration of each answered request
	errs int
}

const virtualPages = 64

// inVirtualTime returns a server of d that subtracts path from each delay.
func inVirtualTime(t testing.TB, d device.Device, path Path) *virtual {
	t.Helper()
	const size = virtualPages * pageSize
	backing := filepath.Join(t.TempDir(), "backing")
	if err := os.WriteFile(backing, make([]byte, size), 0o600); err != nil {
		t.Fatal(err)
	}
	disk, err := openDisk(Config{Backing: backing, Size: size, Device: d, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	v := &virtual{now: time.Hour, sent: map[uint64]time.Duration{}}
	disk.clock = func() time.Duration { return v.now }
	disk.calibrate(path)
	if v.server, err = newServer(v, disk, &requests{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(v.server.alarm); _ = disk.store.close() })
	return v
}

// drive makes clients send count requests, and returns how long that took.
func (v *virtual) drive(t testing.TB, clients, count int) time.Duration {
	t.Helper()
	begin := v.now
	v.took, v.left = nil, count
	for range clients {
		v.ask(t)
	}
	for len(v.took) < count {
		v.serve(t)
		v.backingFile()
		if due, waits := v.server.queue.next(); waits {
			v.now = max(v.now, due)
		}
		v.server.answerDue()
	}
	return v.now - begin
}

// ask sends a client's next request.
func (v *virtual) ask(t testing.TB) {
	if v.left == 0 {
		return
	}
	v.left--
	r, err := v.server.requests.get(pageSize)
	if err != nil {
		t.Fatal(err)
	}
	r.unique = uint64(len(v.sent))
	r.task, r.asked = taskRead, device.Request{Kind: device.Read, Offset: int64(r.unique%virtualPages) * pageSize, Size: pageSize}
	if v.write {
		r.task, r.asked.Kind, r.data = taskWrite, device.Write, make([]byte, pageSize)
	}
	v.sent[r.unique] = v.now
	v.came = append(v.came, r)
}

// serve makes the server receive all pending requests.
func (v *virtual) serve(t testing.TB) {
	for came := true; came; {
		var err error
		if came, err = v.server.receive(); err != nil {
			t.Fatal(err)
		}
	}
}

// backingFile does the helpers' work immediately.
func (v *virtual) backingFile() {
	work := v.server.helpers.work
	v.server.helpers.work = nil
	for _, r := range work {
		v.server.help(r)
	}
}

func (v *virtual) receive() (*request, bool, error) {
	if len(v.came) == 0 {
		return nil, false, nil
	}
	r := v.came[0]
	v.came = v.came[1:]
	return r, true, nil
}

func (v *virtual) answer(r *request) {
	v.took = append(v.took, v.now-v.sent[r.unique])
	if r.errno != 0 {
		v.errs++
	}
	v.ask(nil)
}

func (*virtual) watch(fds []unix.PollFd) []unix.PollFd { return fds }
func (*virtual) stop() error                           { return nil }

// TestAnswersWhenDue checks that an answer comes exactly after the model's time minus the cost of
// the path.
func TestAnswersWhenDue(t *testing.T) {
	path := Path{Read: 60 * time.Microsecond, Write: 90 * time.Microsecond}
	for _, c := range []struct {
		delay time.Duration
		path  Path
		write bool
		want  time.Duration
	}{
		{1800 * time.Microsecond, Path{}, false, 1800 * time.Microsecond},
		{1800 * time.Microsecond, path, false, 1740 * time.Microsecond},
		{1800 * time.Microsecond, path, true, 1710 * time.Microsecond},
		{200 * time.Microsecond, path, true, 110 * time.Microsecond},
		{70 * time.Microsecond, path, true, 0}, // the path alone takes longer
		{0, path, false, 0},
	} {
		for _, clients := range []int{1, 16} {
			d := device.Device{}
			if c.delay > 0 {
				d = constant(c.delay)
			}
			v := inVirtualTime(t, d, c.path)
			v.write = c.write
			v.drive(t, clients, 100)
			for _, took := range v.took {
				if took != c.want {
					t.Errorf("%+v, %d clients: an operation took %v", c, clients, took)
					break
				}
			}
			r := v.server.disk.reading()
			if late := Late(Reading{}, r); late.Answered != 100 || late.Max > histogramUnit || r.InFlight != 0 || v.errs != 0 {
				t.Errorf("%+v, %d clients: lateness %+v, %d in flight, %d errors", c, clients, late, r.InFlight, v.errs)
			}
			if want := c.want.Seconds() * 100; math.Abs(r.Queue-want) > 1e-9 {
				t.Errorf("%+v, %d clients: a queue of %v s, want %v", c, clients, r.Queue, want)
			}
		}
	}
}

// TestLateAnswers checks what counts as late: the answering thread had no CPU, or the backing
// file was slower than the model.
func TestLateAnswers(t *testing.T) {
	const delay = time.Millisecond
	for _, c := range []struct {
		name    string
		write   bool
		backing time.Duration // when the backing file is done; 0: before the due time
		wakes   time.Duration // when the thread wakes up
		took    time.Duration
	}{
		{"in time", true, 0, delay, delay},
		{"no CPU for a while", false, 0, delay + 300*time.Microsecond, delay + 300*time.Microsecond},
		{"a slow disk", true, delay + 700*time.Microsecond, delay, delay + 700*time.Microsecond},
		{"both", true, delay + 700*time.Microsecond, delay + 300*time.Microsecond, delay + 700*time.Microsecond},
	} {
		v := inVirtualTime(t, constant(delay), Path{})
		v.write, v.left = c.write, 1
		v.ask(t)
		v.serve(t)
		if c.backing == 0 {
			v.backingFile()
		}
		came := v.now
		v.now = came + delay - 1
		if v.server.answerDue(); len(v.took) != 0 {
			t.Errorf("%s: answered before its time", c.name)
		}
		v.now = came + c.wakes
		v.server.answerDue()
		v.now = max(v.now, came+c.backing)
		v.backingFile()
		if len(v.took) != 1 || v.took[0] != c.took {
			t.Errorf("%s: it took %v, want %v", c.name, v.took, c.took)
		}
		if late := Late(Reading{}, v.server.disk.reading()); late.Mean != c.took-delay || late.Answered != 1 {
			t.Errorf("%s: lateness %+v, want %v", c.name, late, c.took-delay)
		}
	}
}

// TestLimitedServer checks that clients get the throughput that the limits allow.
func TestLimitedServer(t *testing.T) {
	for name, c := range map[string]struct {
		d    device.Device
		want float64 // operations of 8 KiB per second
	}{
		"iops": {device.Device{Name: "iops", IOPS: device.Limit{Rate: 1000}}, 1000},
		"flow": {device.Device{Name: "flow", Throughput: device.FlowLimit{Rate: unit.Rate(4 * unit.MiB)}}, 512},
		"both": {device.Device{Name: "both", IOPS: device.Limit{Rate: 1000}, Throughput: device.FlowLimit{Rate: unit.Rate(4 * unit.MiB)}}, 512},
	} {
		v := inVirtualTime(t, c.d, Path{})
		// The first one does not wait.
		if rate := 399 / v.drive(t, 8, 400).Seconds(); math.Abs(rate-c.want) > 0.01*c.want {
			t.Errorf("%s: %.1f a second, want %v", name, rate, c.want)
		}
		if r := v.server.disk.reading(); r.UsedOperations != 400 || r.UsedBytes != 400*pageSize {
			t.Errorf("%s: used %v operations, %v bytes", name, r.UsedOperations, r.UsedBytes)
		}
	}
}

// TestBurst empties a bucket: fast at first, then at the refill rate; a refill makes it fast
// again.
func TestBurst(t *testing.T) {
	v := inVirtualTime(t, device.Device{Name: "burst", IOPS: device.Limit{Rate: 200, BurstRate: 2000, Burst: 400}}, Path{})
	balance := func() float64 { return v.server.disk.reading().IOPSBalance }
	if full := v.server.disk.reading(); full.IOPSBalance != 1 || !math.IsNaN(full.ThroughputBalance) {
		t.Errorf("the buckets of a new device: %v, and of throughput, which is not there, %v", full.IOPSBalance, full.ThroughputBalance)
	}
	rate := func(count int) float64 { return float64(count) / v.drive(t, 4, count).Seconds() }
	burst, emptied := rate(360), balance() // a full bucket lasts for 444
	rate(120)
	base := rate(80)
	v.server.disk.refill()
	refilled, again := balance(), rate(360)
	if math.Abs(burst-2000) > 20 || emptied < 0.15 || emptied > 0.25 || math.Abs(base-200) > 2 || refilled != 1 || math.Abs(again-2000) > 20 {
		t.Errorf("%.0f a second, the bucket then %.2f full; %.0f when it was empty; refilled to %.2f, %.0f", burst, emptied, base, refilled, again)
	}
}

// TestRunsHaveLatenciesOfTheirOwn checks that a device that is set anew before a run has other random latencies than in the
// run before, and that two devices with the same seed have the same in the same run.
func TestRunsHaveLatenciesOfTheirOwn(t *testing.T) {
	random := device.Device{Name: "random", Read: device.Latency{Median: unit.Duration(time.Millisecond), P99: unit.Duration(20 * time.Millisecond)}}
	var runs [2][][]time.Duration
	for i := range runs {
		v := inVirtualTime(t, random, Path{})
		for range 2 {
			if err := v.server.disk.become(random); err != nil {
				t.Fatal(err)
			}
			v.drive(t, 1, 50)
			runs[i] = append(runs[i], v.took)
		}
	}
	if slices.Equal(runs[0][0], runs[0][1]) {
		t.Error("two runs have the same latencies")
	}
	for run := range runs[0] {
		if !slices.Equal(runs[0][run], runs[1][run]) {
			t.Errorf("run %d differs between two devices with the same seed", run)
		}
	}
}
