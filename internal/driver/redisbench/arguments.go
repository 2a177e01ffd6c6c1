package redisbench

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/driver"
	"plinth/internal/experiment"
	"plinth/internal/hint"
)

// tests are the names of an experiment's tests for -t, where they differ: ping alone would
// be two tests, PING_INLINE and PING_MBULK.
var tests = map[string]string{"ping": "ping_mbulk", "ping-inline": "ping_inline"}

// usesKeys reports whether a workload is a test that uses keys.
func usesKeys(w experiment.Workload) bool {
	return len(w.Scripts) != 1 || w.Scripts[0].UsesKeys()
}

// testOf returns the test of a workload; "" for a mix.
func testOf(w experiment.Workload) string {
	if len(w.Scripts) != 1 {
		return ""
	}
	return w.Scripts[0].Builtin
}

// arguments returns redis-benchmark's command line for a job.
//
// It does not use --csv, which omits the distribution and the progress; the full report has
// all of its content. -r is given even for one key: without it keys are named
// key:__rand_int__, with it key:000000000000, which exists to be read.
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
		args = append(args, "-e") // otherwise it ignores errors; 7 and later exit at the first
	}
	return args, nil
}

// threads returns the number of redis-benchmark's threads: never more than clients.
func threads(cell experiment.Cell) int { return max(1, min(cell.Threads, cell.Clients)) }

// PasswordVariable is the variable with the password in a job's environment.
const PasswordVariable = "PLINTH_REDIS_PASSWORD"

// usualPrefix is the prefix of the keys that redis-benchmark names itself.
const usualPrefix = "key:"

// connection returns the command line arguments for a server's address: a URI
// unix:///path?db=0, redis://host:port/db, or rediss:// (?cacert=FILE). Each may have a
// prefix of keys as a parameter.
func (p Program) connection(job driver.Job) ([]string, error) {
	u, err := url.Parse(job.Conninfo)
	if err != nil || !slices.Contains([]string{"unix", "redis", "rediss"}, u.Scheme) {
		return nil, errors.New("cannot read the server's address")
	}
	if err := refuseSecret(u, job.Env.Set); err != nil {
		return nil, err
	}
	query := u.Query()
	if prefix := query.Get("prefix"); prefix != "" && prefix != usualPrefix && usesKeys(job.Workload) {
		return nil, errForeignKeys
	}
	db := strings.Trim(u.Path, "/")
	var args []string
	if u.Scheme == "unix" {
		db = query.Get("db")
		args = []string{"-s", u.Path}
	} else {
		args = []string{"-h", u.Hostname()}
		if u.Port() != "" {
			args = append(args, "-p", u.Port())
		}
	}
	if u.Scheme == "rediss" {
		if p.before(6, 2) {
			return nil, hint.Errorf("use generator: plinth, or a newer redis-benchmark", "redis-benchmark %s does not support TLS", p.Version)
		}
		args = append(args, "--tls")
		if file := query.Get("cacert"); file != "" {
			args = append(args, "--cacert", file)
		}
	}
	if db != "" && db != "0" {
		args = append(args, "--dbnum", db)
	}
	return args, nil
}

// refuseSecret rejects a user or a password. redis-benchmark accepts these only by -a,
// --user and -u, where every user of the machine can read them; unlike redis-cli, it does
// not read REDISCLI_AUTH (redis-benchmark.c, 6.0 to 8; valkey-benchmark.c, 7.2 to 9).
func refuseSecret(u *url.URL, env []string) error {
	hasPassword := slices.ContainsFunc(env, func(pair string) bool {
		value, found := strings.CutPrefix(pair, PasswordVariable+"=")
		return found && value != ""
	})
	if !hasPassword && u.User.String() == "" {
		return nil
	}
	return errSecret
}

var errSecret = hint.Errorf("use generator: plinth, which keeps the password off its command line",
	"redis-benchmark accepts a user or a password only on its command line, where every user can read it")

var errForeignKeys = hint.Errorf("use generator: plinth, whose keys have a separate prefix",
	"redis-benchmark chooses its own key names (key:000000000000, counter:, mylist, myset): on a connected server these keys may hold other data")
