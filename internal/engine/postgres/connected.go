package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"plinth/internal/conninfo"
	"plinth/internal/engine"
	"plinth/internal/engine/postgres/client"
	"plinth/internal/engine/postgres/examine"
	"plinth/internal/engine/postgres/install"
	"plinth/internal/hint"
	"plinth/internal/host/launch"
	"plinth/internal/record"
)

// Connected is a server that already existed. Plinth creates and drops one database in it and
// changes nothing else; it needs neither a superuser nor access to the server's file system.
type Connected struct {
	database
	public  conninfo.Parameters // how to reach the server, without secrets
	started time.Time           // pg_postmaster_start_time when Start reached it
	site    examine.Site        // where it keeps its files, after Describe
}

var (
	_ engine.Server = (*Connected)(nil)
	_ engine.Doer   = (*Connected)(nil)
	_ engine.Local  = (*Connected)(nil)
)

// databasePrefix starts the name of every database that plinth creates in a connected server.
// Plinth drops no other database.
const databasePrefix = "plinth_"

var ownDatabase = regexp.MustCompile(`^` + databasePrefix + `[a-z0-9]{1,40}$`)

// NewConnected checks the configuration; it connects to nothing before Start.
func NewConnected(config Config) (*Connected, error) {
	if !config.Environment.Disposable {
		return nil, hint.Errorf("set disposable: true if plinth may create and drop a database named plinth_... on this server",
			"cannot use the server of environment %s: it is not disposable", config.Environment.Name)
	}
	name := databasePrefix + config.RunID
	if !ownDatabase.MatchString(name) {
		return nil, fmt.Errorf("invalid database name %q", name)
	}
	info, err := config.Environment.Connect.Parameters()
	if err != nil {
		return nil, fmt.Errorf("the connection string %w", err)
	}
	for _, one := range info {
		if conninfo.SecretParameter(one.Name) && one.Name != "password" {
			return nil, fmt.Errorf("the connection string has %s, which pgbench accepts only on its command line, where every user can read it", one.Name)
		}
	}
	session, err := client.Config(info)
	if err != nil {
		return nil, err
	}
	if strings.Contains(session.Host+info.Get("host")+info.Get("hostaddr"), ",") {
		return nil, hint.Errorf("give only the server to measure",
			"the connection string names several servers")
	}
	c := &Connected{}
	c.Config, c.name, c.config = config, name, session
	// Write out what the environment and libpq's files added, so that every program that is
	// started reaches the same server.
	c.public = info.Without("password").With("host", session.Host).
		With("port", strconv.Itoa(int(session.Port))).With("user", session.User)
	c.target.Conninfo = c.public.With("dbname", name).String()
	c.env = install.Client()
	if err := c.givePassword(); err != nil {
		return nil, err
	}
	return c, nil
}

// givePassword puts the password into pgbench's environment, unless pgbench finds it on its own:
// an entry of a password file may be for one database only. Other tools find the server by their
// environment alone. A service is omitted there, because the settings of its file take precedence
// over variables, including the database name.
func (c *Connected) givePassword() error {
	found, err := client.Config(c.public.With("dbname", c.name))
	if err != nil {
		return err
	}
	elsewhere := c.Experiment.Driver.Elsewhere()
	if password := c.config.Password; password != "" && (elsewhere || found.Password != password) {
		c.env = install.Client("PGPASSWORD=" + password)
	}
	tools := launch.Variables{Without: []string{"PGHOSTADDR", "PGSERVICE"}, Set: client.Variables(c.public.Without("service").With("dbname", c.name))}
	if password := c.config.Password; password != "" {
		tools.Set = append(tools.Set, "PGPASSWORD="+password)
	}
	c.target.Env, c.target.Tools = c.env, tools
	if elsewhere { // the load generators' machines have neither this one's files nor its environment
		public := c.public.Without("service", "passfile").With("dbname", c.name)
		if mode := os.Getenv("PGSSLMODE"); mode != "" && public.Get("sslmode") == "" {
			public = public.With("sslmode", mode)
		}
		c.target.Conninfo = public.String()
	}
	return nil
}

// Start connects to the server and checks whether it can be used.
func (c *Connected) Start(ctx context.Context) error {
	if err := c.examine(ctx); err != nil {
		return err
	}
	started, err := c.startTime(ctx)
	if err != nil {
		return fmt.Errorf("cannot use the server: %w", err)
	}
	c.started, c.lost = started, nil
	return nil
}

// Stop leaves the server alone.
func (c *Connected) Stop(context.Context) error {
	c.close()
	return nil
}

// Load creates plinth's database and loads it, anew on every call.
func (c *Connected) Load(ctx context.Context, progress func(engine.Progress)) error {
	if err := c.noteDatabase(ctx); err != nil {
		return err
	}
	return c.database.Load(ctx, progress)
}

// Check returns an error unless the server is the one first reached and has not gone down since.
// Its log cannot be read.
func (c *Connected) Check(ctx context.Context) error {
	if c.started.IsZero() {
		return errors.New("the server has not been reached yet")
	}
	started, err := c.startTime(ctx)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case c.lost != nil:
		return fmt.Errorf("the connection to the server was lost: %w", c.lost)
	case err != nil:
		return fmt.Errorf("the server cannot be used: %w", err)
	case !started.Equal(c.started):
		return fmt.Errorf("the server was restarted at %s", started.UTC().Format(time.DateTime))
	}
	return nil
}

// Describe reads the actual state of the system under test.
func (c *Connected) Describe(ctx context.Context) (record.Environment, error) {
	e, err := c.describe(ctx, "connected")
	if err != nil {
		return e, err
	}
	// A server that reports too little about itself counts as remote.
	if facts, err := examine.Read(ctx, c.Environment.Connect); err == nil {
		c.site = examine.Locate(facts)
	}
	engine.Site{Local: c.site.Local, PID: c.site.PID, Places: c.site.Places}.Describe(&e, "data", "wal")
	if e.VersionN/10000 > install.NewestVersion {
		e.Warnings = append(e.Warnings, record.Note{
			Rule: "unknown-version",
			Text: fmt.Sprintf("PostgreSQL %s is newer than %d, the newest version that plinth supports", e.Version, install.NewestVersion),
		})
	}
	if differing := notInForce(e, c.units); differing != "" {
		e.Warnings = append(e.Warnings, engine.NotInForce(differing))
	}
	return e, nil
}

// PID returns the PID of the server's first process; 0 if it is not known to run on this machine.
func (c *Connected) PID() int { return c.site.PID }

// Activity reads what the server has done on its own since it started.
func (c *Connected) Activity(ctx context.Context) (engine.Activity, error) {
	a, err := c.database.Activity(ctx)
	a.PID = c.site.PID
	return a, err
}

// Remove drops plinth's database.
func (c *Connected) Remove(ctx context.Context) error {
	defer c.close()
	if c.note == nil {
		return nil
	}
	if err := c.drop(ctx); err != nil {
		return fmt.Errorf("cannot drop database %s at %s: %w", c.name, c.public.Get("host"), err)
	}
	return c.forgetNote()
}
