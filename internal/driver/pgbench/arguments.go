package pgbench

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"plinth/internal/driver"
	"plinth/internal/hint"
)

// arguments is pgbench's command line for a job. scripts are the options that
// name the scripts, logPrefix is where the transaction log goes.
//
// pgbench's random seed is left alone: every run draws its own rows, as repeats
// are meant to.
func arguments(job driver.Job, version, logPrefix string, scripts []string) ([]string, error) {
	e, cell := job.Experiment, job.Cell
	args := []string{
		"-n", // the server is set back by other means, not by pgbench's vacuum
		"-c", strconv.Itoa(cell.Clients),
		"-j", strconv.Itoa(threads(job)),
		"-M", e.Protocol,
		"-P", "1", "-r",
		"-l", "--log-prefix", logPrefix,
	}
	if e.Connect == "each" {
		args = append(args, "-C")
	}
	if cell.Rate > 0 {
		args = append(args, "-R", decimal(cell.Rate))
	}
	if e.LatencyLimit > 0 {
		args = append(args, "-L", decimal(milliseconds(e.LatencyLimit.Std())))
	}
	if e.MaxTries > 1 {
		var major int
		if _, _ = fmt.Sscanf(version, "%d", &major); major < 15 {
			return nil, hint.Errorf("use the programs of PostgreSQL 15 or later, or leave out max_tries",
				"cannot retry transactions: pgbench %s has no --max-tries", version)
		}
		args = append(args, "--max-tries", strconv.Itoa(e.MaxTries))
	}
	args = append(args, scripts...)
	for _, name := range slices.Sorted(maps.Keys(job.Workload.Variables)) {
		args = append(args, "-D", name+"="+job.Workload.Variables[name])
	}
	if e.Transactions > 0 {
		clients := int64(cell.Clients)
		each := (e.Transactions + clients - 1) / clients // rounded up
		args = append(args, "-t", strconv.FormatInt(each, 10))
	} else {
		args = append(args, "-T", strconv.Itoa(runSeconds(job)))
	}
	return append(args, job.Conninfo), nil
}

// threads is how many threads pgbench makes: never more than clients.
func threads(job driver.Job) int { return max(1, min(job.Cell.Threads, job.Cell.Clients)) }

// How much longer pgbench is told to run than is measured. Its timer starts
// before it connects; plinth ends it when the window is over, so slack costs
// nothing, but with a rate: clients that wait for their next transaction cannot
// be woken, and only give up at once if it is due after the end.
const (
	connectEach = 20 * time.Millisecond // for each client, one after the other in a thread
	slackClosed = 60 * time.Second
	slackOpen   = 5 * time.Second
	firstDue    = 10 // mean gaps between transactions; a longer first one comes once in 22,000 runs
)

// runSeconds is the duration that pgbench is given, in its whole seconds.
func runSeconds(job driver.Job) int {
	d := job.Experiment.Warmup.Std() + job.Experiment.Duration.Std()
	d += time.Duration(job.Cell.Clients) * connectEach
	if job.Cell.Rate > 0 {
		d += slackOpen + time.Duration(firstDue/job.Cell.Rate*float64(time.Second))
	} else {
		d += slackClosed
	}
	return int(math.Ceil(d.Seconds()))
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func decimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
