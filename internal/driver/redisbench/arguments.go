package redisbench

import (
	"strconv"

	"plinth/internal/driver"
	"plinth/internal/experiment"
)

// tests are the names by which -t knows the tests of an experiment, where they are
// others: ping alone would be two tests, PING_INLINE and PING_MBULK.
var tests = map[string]string{"ping": "ping_mbulk"}

// testOf is the test of a workload; "" of a mix.
func testOf(w experiment.Workload) string {
	if len(w.Scripts) != 1 {
		return ""
	}
	return w.Scripts[0].Builtin
}

// arguments is redis-benchmark's command line for a job.
//
// Not --csv, which leaves out the distribution and the progress; the full report
// holds all that it does. -r is given even for one key: without it keys are called
// key:__rand_int__, with it key:000000000000, which is there to be read.
func (d *Driver) arguments(job driver.Job) ([]string, error) {
	if err := checkLoad(job.Experiment, job.Workload); err != nil {
		return nil, err
	}
	args, err := d.program.connection(job)
	if err != nil {
		return nil, err
	}
	e, cell := job.Experiment, job.Cell
	test := testOf(job.Workload)
	if other, has := tests[test]; has {
		test = other
	}
	keepAlive := "1"
	if e.Connect == "each" {
		keepAlive = "0"
	}
	args = append(args, "-t", test,
		"-n", strconv.FormatInt(e.Transactions, 10),
		"-c", strconv.Itoa(cell.Clients),
		"-d", strconv.FormatInt(int64(max(1, e.Payload)), 10),
		"-r", strconv.FormatInt(max(1, e.Keyspace), 10),
		"-P", strconv.Itoa(max(1, e.Pipeline)),
		"-k", keepAlive,
		"--precision", "3") // before 6.2 decimals of milliseconds; since then significant digits
	if threads(cell) > 1 {
		args = append(args, "--threads", strconv.Itoa(threads(cell)))
	}
	if d.program.before(7) {
		args = append(args, "-e") // else it passes over errors; 7 and later end at the first
	}
	return args, nil
}

// threads is how many threads redis-benchmark makes: never more than clients.
func threads(cell experiment.Cell) int { return max(1, min(cell.Threads, cell.Clients)) }
