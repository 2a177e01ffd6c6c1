package postgres

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"plinth/internal/engine"
	"plinth/internal/engine/life"
	"plinth/internal/engine/postgres/client"
	"plinth/internal/engine/postgres/install"
	"plinth/internal/engine/postgres/script"
	"plinth/internal/hint"
	"plinth/internal/host/launch"
)

// Load creates the database and loads the dataset and the workloads' own tables. It may be called
// again: each call drops the database with all its files and creates another one, which also
// repairs a load that failed half-way. Objects that a workload's SQL has created outside of its
// database, such as a role, stay; its SQL must cope with their existence.
func (d *database) Load(ctx context.Context, progress func(engine.Progress)) error {
	if progress == nil {
		progress = func(engine.Progress) {}
	}
	l := loading{database: d, started: time.Now(), tell: progress}
	if err := l.all(ctx); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fullHint(fmt.Errorf("cannot load the dataset: %w", err))
	}
	d.loaded, d.loadTime, d.loadDuration = true, l.started, time.Since(l.started)
	return nil
}

// loading is a load in progress.
type loading struct {
	*database
	started time.Time
	tell    func(engine.Progress)
	said    []string // what pgbench printed besides its progress
}

func (l *loading) all(ctx context.Context) error {
	l.step("database")
	err := l.drop(ctx)
	if err == nil {
		// Encoding and locale are the same on every server, because sorting depends on them.
		err = l.exec(ctx, "", "CREATE DATABASE "+identifier(l.name)+
			" TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'")
	}
	if err != nil {
		return l.because(ctx, err)
	}
	if l.Experiment.Dataset.Scale > 0 {
		if err := l.generate(ctx); err != nil {
			return err
		}
	}
	if err := l.runInits(ctx); err != nil {
		return err
	}
	l.step("vacuum")
	if err := l.exec(ctx, l.name, "VACUUM (ANALYZE)"); err != nil {
		return l.because(ctx, err)
	}
	return l.findOwnTables(ctx)
}

func (l *loading) step(name string) {
	l.tell(engine.Progress{Step: name, Elapsed: time.Since(l.started)})
}

// generate has pgbench create and fill its tables. It neither drops old ones, because the
// database is new, nor vacuums, because a later step vacuums everything.
func (l *loading) generate(ctx context.Context) error {
	d := l.Experiment.Dataset
	steps := "tgp"
	if d.ForeignKeys {
		steps += "f"
	}
	args := []string{"-i", "-I", steps, "-s", strconv.Itoa(d.Scale)}
	if d.Fillfactor > 0 {
		args = append(args, "-F", strconv.Itoa(d.Fillfactor))
	}
	if d.Partitions > 0 {
		args = append(args, "--partitions="+strconv.Itoa(d.Partitions))
	}
	if d.Tablespace != "" {
		args = append(args, "--tablespace="+d.Tablespace)
	}
	if d.IndexSpace != "" {
		args = append(args, "--index-tablespace="+d.IndexSpace)
	}
	if l.log != nil {
		l.log.Forget()
	}
	lines := &life.Lines{Line: l.heard}
	err := install.Run(ctx, l.Launcher, launch.Command{
		Path: l.Pgbench, Args: append(args, l.target.Conninfo), Env: l.env.Environ(), Stderr: lines,
	})
	lines.End()
	if err == nil {
		return nil
	}
	return l.cause(ctx, err)
}

var tuples = regexp.MustCompile(`^(\d+) of (\d+) tuples `)

// loadSteps maps pgbench's names of the steps to plinth's.
var loadSteps = []struct{ said, step string }{
	{"creating tables...", "tables"},
	{"generating data", "accounts"},
	{"creating primary keys...", "primary keys"},
	{"creating foreign keys...", "foreign keys"},
}

// heard processes one line of pgbench's output.
func (l *loading) heard(line string) {
	if match := tuples.FindStringSubmatch(line); match != nil {
		done, _ := strconv.ParseInt(match[1], 10, 64) // digits
		rows, _ := strconv.ParseInt(match[2], 10, 64)
		l.tell(engine.Progress{Step: "accounts", Done: done, Rows: rows, Elapsed: time.Since(l.started)})
		return
	}
	for _, s := range loadSteps {
		if strings.HasPrefix(line, s.said) {
			l.step(s.step)
			return
		}
	}
	l.said = append(l.said, line)
}

// cause returns why pgbench failed: the error in the server's log, else the error that pgbench
// passed on, else its exit status.
func (l *loading) cause(ctx context.Context, err error) error {
	if l.log != nil {
		ctx, cancel := context.WithTimeout(ctx, life.LogDelay)
		defer cancel()
		if t := l.log.Await(ctx, func(t trouble) bool { return t.failed != "" }); t.failed != "" {
			return errors.New(t.failed)
		}
	}
	for _, line := range l.said {
		if _, words, found := strings.Cut(line, "ERROR:  "); found {
			return errors.New("ERROR: " + words)
		}
	}
	if len(l.said) > 0 {
		return errors.New(strings.TrimPrefix(l.said[0], "pgbench: error: "))
	}
	return err
}

// mistaken marks an error as a mistake in the user's SQL. Classes 53 to 58 and XX are faults of
// the server: disk full, shutdown, I/O error.
// https://www.postgresql.org/docs/current/errcodes-appendix.html
func mistaken(err, inWords error) error {
	switch state := client.State(err); {
	case state == "", strings.HasPrefix(state, "53"), strings.HasPrefix(state, "57"),
		strings.HasPrefix(state, "58"), strings.HasPrefix(state, "XX"):
		return inWords
	}
	return &engine.MistakeError{Err: inWords}
}

// runInits runs the SQL that creates the workloads' own tables.
func (l *loading) runInits(ctx context.Context) error {
	for _, workload := range l.Experiment.Workloads {
		if workload.Init.SQL == "" {
			continue
		}
		l.step("init of " + workload.Name)
		for _, statement := range script.Split(workload.Init.SQL) {
			err := l.use(ctx, l.name, func(conn *pgx.Conn) error {
				_, err := conn.PgConn().Exec(ctx, statement.Text).ReadAll()
				return err
			})
			if err != nil {
				return fmt.Errorf("init of workload %s, line %d: %w",
					workload.Name, statement.LineOf(err), mistaken(err, l.because(ctx, err)))
			}
		}
	}
	return nil
}

// findOwnTables records which tables are not pgbench's, for Reset.
func (l *loading) findOwnTables(ctx context.Context) error {
	return l.use(ctx, l.name, func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, `SELECT format('%I.%I', n.nspname, c.relname)
			FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
			WHERE c.relkind IN ('r', 'p', 'm') AND NOT c.relispartition AND c.relpersistence <> 't'
			AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
			AND c.relname NOT IN ('pgbench_accounts', 'pgbench_branches', 'pgbench_history', 'pgbench_tellers')
			ORDER BY 1`)
		if err != nil {
			return err
		}
		l.ownTables, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
}

// fullHint adds advice if a disk or /dev/shm is full.
func fullHint(err error) error {
	if strings.Contains(err.Error(), "shared memory segment") {
		return hint.Wrap(err, "enlarge /dev/shm: mount -o remount,size=1G /dev/shm, or docker run --shm-size=1g")
	}
	if diskFull.MatchString(err.Error()) {
		return hint.Wrap(err, "free space on the volume, or lower dataset.scale or max_wal_size")
	}
	return err
}

// diskFull matches the server's messages about a full disk, also as passed on by pgbench. The
// second occurs when part of the last block fits (mdextend, src/backend/storage/smgr/md.c), the third
// when a session begins (write_item, src/backend/utils/cache/relcache.c; with the cause from 16 on).
var diskFull = regexp.MustCompile(`No space left on device|could not extend file .*: wrote only \d+ of \d+ bytes|could not write init file(?: \(|$)`)

// Reset restores the dataset before a run: "vacuum" does what pgbench does before it starts, and
// also vacuums the workloads' own tables; "reload" drops everything and loads it again; "none"
// does nothing.
func (d *database) Reset(ctx context.Context, how string) error {
	var err error
	switch how {
	case "none":
	case "vacuum":
		err = d.vacuum(ctx)
	case "reload":
		return d.Load(ctx, nil)
	default:
		err = fmt.Errorf("unknown method %q", how)
	}
	if err != nil {
		return fmt.Errorf("cannot reset the dataset: %w", d.because(ctx, err))
	}
	return nil
}

func (d *database) vacuum(ctx context.Context) error {
	if !d.loaded {
		return fmt.Errorf("it is not loaded")
	}
	var statements []string
	if d.Experiment.Dataset.Scale > 0 {
		statements = []string{"VACUUM pgbench_branches", "VACUUM pgbench_tellers", "TRUNCATE pgbench_history"}
	}
	for _, table := range d.ownTables {
		statements = append(statements, "VACUUM "+table)
	}
	for _, statement := range statements {
		if err := d.exec(ctx, d.name, statement); err != nil {
			return err
		}
	}
	return nil
}

var _ engine.Warmer = (*Own)(nil)

// prewarm reads all tables and indexes of the database into shared buffers, the smallest first:
// if they do not fit, the last and largest evicts what the load would evict, too.
const prewarm = `SELECT sum(pg_prewarm(oid)) FROM (
	SELECT oid FROM pg_class WHERE relkind IN ('r', 'i', 'm') AND relpersistence = 'p' ORDER BY relpages) AS all_relations`

// Warm reads the dataset into shared buffers and the page cache, with the extension pg_prewarm
// (PostgreSQL, Additional Supplied Modules).
func (d *database) Warm(ctx context.Context) error {
	for _, statement := range []string{"CREATE EXTENSION IF NOT EXISTS pg_prewarm", prewarm} {
		if err := d.exec(ctx, d.name, statement); err != nil {
			return hint.Wrap(fmt.Errorf("cannot read the dataset into memory: %w", d.because(ctx, err)),
				"install PostgreSQL's additional modules (postgresql-contrib), or leave out caches: prewarm")
		}
	}
	return nil
}
