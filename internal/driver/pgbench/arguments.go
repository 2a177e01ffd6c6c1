package pgbench

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"plinth/internal/driver"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/record"
)

// arguments returns pgbench's command line for a job. scripts are the options that name the
// scripts; logPrefix is where the transaction log goes.
//
// pgbench's random seed is not set: every run draws its own rows, as repeats are meant to.
func arguments(job driver.Job, version, logPrefix string, scripts []string) ([]string, error) {
	e, cell := job.Experiment, job.Cell
	args := []string{
		"-n", // the server is reset by other means, not by pgbench's vacuum
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
		limit := milliseconds(e.LatencyLimit.Std())
		if int64(limit*1000) < e.LatencyLimit.Std().Microseconds() { // pgbench truncates this product
			limit = math.Nextafter(limit, math.Inf(1))
		}
		args = append(args, "-L", decimal(limit))
	}
	if e.MaxTries > 1 {
		if err := CheckTries(e, version); err != nil {
			return nil, err
		}
		args = append(args, "--max-tries", strconv.Itoa(e.MaxTries))
	}
	args = append(args, scripts...)
	if _, given := job.Workload.Variables["scale"]; !given && hasOwnScript(job.Workload) && e.Dataset.Scale > 0 {
		args = append(args, "-D", "scale="+strconv.Itoa(e.Dataset.Scale)) // pgbench sets it to 1 without a built-in script
	}
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

// CheckTries returns an error if an experiment retries transactions, which pgbench can from version 15 on.
func CheckTries(e *experiment.Experiment, version string) error {
	var major int
	if _, _ = fmt.Sscanf(version, "%d", &major); e.MaxTries <= 1 || major >= 15 {
		return nil
	}
	return hint.Errorf("use the programs of PostgreSQL 15 or later, or leave max_tries out",
		"cannot retry transactions: pgbench %s has no --max-tries", version)
}

// hasOwnScript reports whether a script of a workload is not one of pgbench's.
func hasOwnScript(w experiment.Workload) bool {
	return slices.ContainsFunc(w.Scripts, func(s experiment.Script) bool { return s.Builtin == "" })
}

// threads returns the number of pgbench's threads: never more than clients.
func threads(job driver.Job) int { return max(1, min(job.Cell.Threads, job.Cell.Clients)) }

// How much longer pgbench's -T is than the measured time. Its timer starts before it
// connects; plinth stops it when the window is over, so slack costs nothing, except with a
// rate: clients that wait for their next transaction cannot be woken, and give up at once
// only if it is due after the end.
const (
	connectEach = 20 * time.Millisecond // for each client; a thread connects one after the other
	slackClosed = 60 * time.Second
	slackOpen   = 5 * time.Second
	firstDue    = 10 // mean gaps between transactions; a longer first one occurs once in 22,000 runs
)

// runSeconds returns the duration passed to pgbench, in whole seconds.
func runSeconds(job driver.Job) int {
	d := job.Experiment.Warmup.Std() + job.Experiment.Duration.Std()
	if !job.Window.IsZero() {
		d = max(d, time.Until(job.Window)+job.Experiment.Duration.Std())
	}
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

// scriptOptions returns the command line options for a workload's scripts. The user's own
// scripts are kept, to document the run.
func scriptOptions(w experiment.Workload, keep driver.Keeper) ([]string, error) {
	var options []string
	for i, s := range w.Scripts {
		weight := "@" + strconv.Itoa(max(s.Weight, 1))
		if s.Builtin != "" {
			options = append(options, "-b", s.Builtin+weight)
			continue
		}
		text := s.SQL
		if !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		path, err := keep.WriteRaw(fmt.Sprintf("script-%d.sql", i+1), text)
		if err != nil {
			return nil, fmt.Errorf("cannot write script: %w", err)
		}
		options = append(options, "-f", path+weight)
	}
	return options, nil
}

// scriptLabels returns the names of a workload's scripts in points and histograms.
func scriptLabels(w experiment.Workload) []string {
	names := make([]string, len(w.Scripts))
	for i, s := range w.Scripts {
		switch {
		case s.Name != "":
			names[i] = s.Name
		case s.Builtin != "":
			names[i] = s.Builtin
		case s.File != "":
			names[i] = filepath.Base(s.File)
		default:
			names[i] = strconv.Itoa(i + 1)
		}
	}
	return names
}

// keepCommand writes pgbench's version and its command line, in shell syntax, beside its
// output. It holds no secret: those are in the environment.
func keepCommand(d record.Driver, keep driver.Keeper) error {
	var words []string
	for _, word := range d.Command {
		words = append(words, quote(word))
	}
	text := fmt.Sprintf("# %s %s\n%s\n", d.Program, d.Version, strings.Join(words, " "))
	if _, err := keep.WriteRaw("command.txt", text); err != nil {
		return fmt.Errorf("cannot keep the command line: %w", err)
	}
	return nil
}

const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=:,@%"

// quote returns s as one shell word.
func quote(s string) string {
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
