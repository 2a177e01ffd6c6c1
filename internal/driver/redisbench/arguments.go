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

// PasswordVariable holds the password in a job's environment.
const PasswordVariable = "PLINTH_REDIS_PASSWORD"

// usualPrefix is the prefix of the keys that redis-benchmark names itself.
const usualPrefix = "key:"

// connection is the part of the command line that says where the server is: of a
// URI unix:///path?db=0, redis://host:port/db, or rediss:// (?cacert=FILE). A prefix
// of keys can be a parameter of each.
func (p Program) connection(job driver.Job) ([]string, error) {
	u, err := url.Parse(job.Conninfo)
	if err != nil || !slices.Contains([]string{"unix", "redis", "rediss"}, u.Scheme) {
		return nil, errors.New("cannot read where the server is")
	}
	if err := refuseSecret(u, job.Env.Set); err != nil {
		return nil, err
	}
	query := u.Query()
	if prefix := query.Get("prefix"); prefix != "" && prefix != usualPrefix && testOf(job.Workload) != "ping" {
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
			return nil, hint.Errorf("use generator: plinth, or a newer redis-benchmark", "redis-benchmark %s knows no TLS", p.Version)
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

// refuseSecret refuses a user or a password. redis-benchmark takes one by -a, --user
// and -u only, where every user of the machine can read it; it looks at no
// REDISCLI_AUTH, as redis-cli does (redis-benchmark.c, 6.0 to 8; valkey-benchmark.c,
// 7.2 to 9).
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

var errSecret = hint.Errorf("use generator: plinth, which takes the password from the environment",
	"redis-benchmark can't be given a user or a password but on its command line, where anybody can read it")

var errForeignKeys = hint.Errorf("use generator: plinth, whose keys have a prefix of their own",
	"redis-benchmark names its keys itself (key:000000000000, counter:, mylist, myset): on a server that isn't plinth's they may belong to others")
