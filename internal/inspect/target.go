package inspect

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"plinth/internal/conninfo"
	"plinth/internal/engine/postgres/client"
	"plinth/internal/engine/postgres/examine"
	redisclient "plinth/internal/engine/redis/client"
	redisexamine "plinth/internal/engine/redis/examine"
	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/record"
	"plinth/internal/telemetry"
	pgstat "plinth/internal/telemetry/postgres"
	redisstat "plinth/internal/telemetry/redis"
)

// Target is a server, or a directory that holds data or will hold it.
type Target struct {
	Server conninfo.Conninfo
	Dir    string // absolute; "" for a server
}

// String returns the target without its secrets.
func (t Target) String() string {
	if t.Server != "" {
		return t.Server.String()
	}
	return t.Dir
}

const targetHint = "give a directory, or a connection string such as postgresql://user@host/database or redis://host:6379"

// schemes lists the URI schemes of connection strings.
var schemes = []string{"postgresql", "postgres", "redis", "rediss", "unix"}

// ParseTarget parses a directory, both kinds of libpq connection strings, URIs of Redis, or the
// path of a Redis socket. A path of an existing directory is a directory, even with an equals
// sign in it.
func ParseTarget(text string) (Target, error) {
	if slices.Contains(schemes, schemeOf(text)) {
		return Target{Server: conninfo.Conninfo(text)}, nil
	}
	if text == "" {
		return Target{}, hint.Errorf(targetHint+"; without a target, plinth inspects this machine and the current directory", "the target is empty")
	}
	info, err := os.Stat(text)
	switch {
	case err == nil && info.IsDir():
		dir, err := filepath.Abs(text)
		return Target{Dir: dir}, err
	case err == nil && info.Mode().Type() == fs.ModeSocket:
		return socketTarget(text)
	case err == nil:
		return Target{}, hint.Errorf(targetHint, "%s is not a directory", text)
	case schemeOf(text) != "":
		return Target{}, hint.Errorf(hint.DidYouMean(schemeOf(text), schemes, "use postgresql://user@host/database or redis://host:6379"),
			"%s:// is not a scheme of connection strings", schemeOf(text))
	case strings.Contains(text, "=") && !strings.ContainsAny(text[:1], "/."):
		return Target{Server: conninfo.Conninfo(text)}, nil
	case errors.Is(err, fs.ErrNotExist):
		return Target{}, hint.Errorf(targetHint, "directory %s does not exist", text)
	}
	var cause *fs.PathError
	if errors.As(err, &cause) {
		err = cause.Err
	}
	return Target{}, fmt.Errorf("cannot access the directory %s: %w", text, err)
}

// socketTarget returns the server at a socket. It refuses PostgreSQL's sockets, which have
// special names: libpq needs their directory.
func socketTarget(path string) (Target, error) {
	path, err := filepath.Abs(path)
	if dir, name := filepath.Split(path); strings.HasPrefix(name, ".s.PGSQL.") {
		return Target{}, hint.Errorf("give its directory: host="+filepath.Clean(dir), "%s is a PostgreSQL socket", path)
	}
	uri := url.URL{Scheme: "unix", Path: path}
	return Target{Server: conninfo.Conninfo(uri.String())}, err
}

// schemeOf returns the text before ://, if that can be the scheme of a URI.
func schemeOf(text string) string {
	scheme, _, found := strings.Cut(text, "://")
	if !found || strings.Trim(scheme, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+") != "" {
		return ""
	}
	return scheme
}

// engine holds the functions that inspect servers of one database.
type engine struct {
	// look reads a server into the inspection, and returns the places of its files, by role.
	look func(context.Context, conninfo.Conninfo, *Inspection) (map[string]string, error)

	// lane returns the reader of the server's telemetry; describe fills in the environment, as in
	// the record of an experiment.
	lane     func(conninfo.Conninfo, Inspection) (telemetry.Lane, error)
	describe func(Inspection, *record.Environment)

	done []string // column that stands for TPS without a load generator, then that of plinth's own share, if any
}

// engines holds the engines that can be inspected, by the name that Conninfo.Engine returns.
var engines = map[string]engine{
	"postgres": {lookPostgres, lanePostgres, describePostgres, []string{"pg_stat_database.all.xact_commit", "plinth.transactions"}},
	"redis":    {lookRedis, laneRedis, describeRedis, []string{"info.total_commands_processed"}},
}

// engine returns the engine of a target's server.
func (t Target) engine() engine { return engines[t.Server.Engine()] }

func lookPostgres(ctx context.Context, conninfo conninfo.Conninfo, i *Inspection) (map[string]string, error) {
	facts, err := examine.Read(ctx, conninfo)
	if err != nil {
		return nil, err
	}
	site := examine.Locate(facts)
	i.Server, i.Here, i.CPUs, i.PID = &facts, site.Local, site.CPUs, site.PID
	i.addServerGaps(facts.Gaps, site.Gaps)
	return site.Places, nil
}

func lookRedis(ctx context.Context, conninfo conninfo.Conninfo, i *Inspection) (map[string]string, error) {
	facts, err := redisexamine.Read(ctx, conninfo)
	if err != nil {
		return nil, err
	}
	site := redisexamine.Locate(facts)
	i.Redis, i.Here, i.CPUs, i.PID, i.Files = &facts, site.Local, site.CPUs, site.PID, site.Files
	for _, g := range append(facts.Gaps, site.Gaps...) {
		i.Gaps = append(i.Gaps, Gap{What: g.What, Why: g.Why})
	}
	i.Redis.Gaps = []redisexamine.Gap{} // all gaps are in i.Gaps
	return site.Places, nil
}

func lanePostgres(conninfo conninfo.Conninfo, seen Inspection) (telemetry.Lane, error) {
	config, err := client.ConfigOf(conninfo)
	o := pgstat.Options{Config: config}
	if seen.PID > 0 {
		o.Backend = host.ProcessTimeBeside(seen.PID)
	}
	return pgstat.Lane(o), err
}

func laneRedis(conninfo conninfo.Conninfo, _ Inspection) (telemetry.Lane, error) {
	options, err := redisclient.OptionsOf(conninfo)
	if err != nil {
		return telemetry.Lane{}, err
	}
	return redisstat.Lane(redisstat.Options{Client: options}), nil
}

func describePostgres(seen Inspection, e *record.Environment) {
	e.Server, e.Version, e.Transport = "PostgreSQL", seen.Server.Version, seen.Server.Transport
	if buffers, there := seen.Server.Setting("shared_buffers"); there {
		e.Dataset.SharedBuffers, _ = buffers.Bytes()
	}
	for _, d := range seen.Server.Databases {
		if d.Name == seen.Server.Database && d.Size > 0 {
			e.Dataset.Bytes = d.Size
		}
	}
}

func describeRedis(seen Inspection, e *record.Environment) {
	e.Server, e.Version, e.Transport = RedisName(seen.Redis), seen.Redis.Version, seen.Redis.Transport
	if bytes, there := seen.Redis.Number("used_memory_dataset"); there {
		e.Dataset.Bytes = int64(bytes)
	}
	e.Settings = seen.Redis.Settings
}

// RedisName returns the name of a Redis-compatible server: "Redis" or "Valkey".
func RedisName(f *redisexamine.Facts) string {
	if f.Program == redisclient.Valkey {
		return "Valkey"
	}
	return "Redis"
}
