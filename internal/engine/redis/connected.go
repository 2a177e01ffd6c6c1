package redis

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"plinth/internal/conninfo"
	"plinth/internal/engine"
	"plinth/internal/engine/redis/client"
	"plinth/internal/engine/redis/conf"
	"plinth/internal/engine/redis/examine"
	"plinth/internal/hint"
	"plinth/internal/journal"
	"plinth/internal/record"
)

// Connected is a server that already existed. plinth writes and removes keys with a prefix of its
// own, and changes nothing else: neither settings nor persistence.
type Connected struct {
	database
	address conninfo.RedisAddress
	note    *journal.Entry // how to remove the keys, once journaled
	site    examine.Site   // where it runs, after Describe
}

var (
	_ engine.Server = (*Connected)(nil)
	_ engine.Doer   = (*Connected)(nil)
	_ engine.Local  = (*Connected)(nil)
)

// keyPrefix starts all keys that plinth writes to a connected server. It removes no others.
const keyPrefix = "plinth:"

var ownPrefix = regexp.MustCompile(`^` + keyPrefix + `[a-z0-9]{1,40}:$`)

// NewConnected checks the configuration; it connects to nothing before Start.
func NewConnected(config engine.Config) (*Connected, error) {
	if !config.Environment.Disposable {
		return nil, hint.Errorf("set disposable: true if plinth may write and remove keys that begin with "+keyPrefix+" on this server",
			"cannot use the server of environment %s: it is not disposable", config.Environment.Name)
	}
	address, err := config.Environment.Connect.Redis()
	if err != nil {
		return nil, fmt.Errorf("the connection string %w", err)
	}
	c := &Connected{address: address}
	c.Config, c.prefix = config, keyPrefix+config.RunID+":"
	if !ownPrefix.MatchString(c.prefix) {
		return nil, fmt.Errorf("invalid key prefix %q", c.prefix)
	}
	if c.Options, err = client.Reach(address); err != nil {
		return nil, err
	}
	c.target = c.aim()
	return c, nil
}

// aim returns how a driver reaches the keys, and where tools find the server.
func (c *Connected) aim() engine.Target {
	where, _ := url.Parse(c.address.String()) // it was built as a URL
	query := where.Query()
	query.Set("prefix", c.prefix)
	where.RawQuery = query.Encode()
	var secrets []string
	if c.Options.Password != "" {
		secrets = []string{client.PasswordVariable + "=" + c.Options.Password}
	}
	tools := append([]string{client.DatabaseVariable + "=" + strconv.Itoa(c.address.DB), client.UserVariable + "=" + c.address.User}, secrets...)
	if c.Options.Password != "" {
		tools = append(tools, client.CliPassword+"="+c.Options.Password)
	}
	if c.address.Network == "unix" {
		tools = append(tools, client.SocketVariable+"="+c.address.Address)
	} else if host, port, err := net.SplitHostPort(c.address.Address); err == nil {
		tools = append(tools, client.HostVariable+"="+host, client.PortVariable+"="+port)
	}
	return engine.Target{Conninfo: where.String(), Env: client.Variables(secrets...), Tools: client.Variables(tools...)}
}

// Start connects to the server and checks whether it can be used.
func (c *Connected) Start(ctx context.Context) error {
	f, err := c.examine(ctx)
	if err != nil {
		return err
	}
	c.run = "" // clears what Check has found before
	c.meet(f)
	return nil
}

// Stop leaves the server alone.
func (c *Connected) Stop(context.Context) error {
	c.Close()
	return nil
}

// Load writes plinth's keys, after it has removed those of an earlier load.
func (c *Connected) Load(ctx context.Context, progress func(engine.Progress)) error {
	if c.note == nil {
		if err := c.removeSeries(ctx); err != nil {
			return err
		}
		entry, err := c.Journal.Note(kindKeys, writtenKeys{c.address.String(), c.prefix})
		if err != nil {
			return err
		}
		c.note = &entry
	}
	empty := func() error {
		return c.Use(ctx, func(rdb *goredis.Client) error { return unlink(ctx, rdb, c.prefix) })
	}
	return c.loading(ctx, progress, empty, func() error { return nil })
}

// removeSeries removes the keys of earlier servers of this environment whose journals are lost.
func (c *Connected) removeSeries(ctx context.Context) error {
	if c.Series == "" {
		return nil
	}
	return c.Use(ctx, func(rdb *goredis.Client) error { return unlink(ctx, rdb, keyPrefix+c.Series) })
}

// Reset restores the keys before a run. The append-only file belongs to the server, and is not
// rewritten.
func (c *Connected) Reset(ctx context.Context, how string) error {
	return c.reset(ctx, how, func(context.Context) error { return nil },
		func(ctx context.Context) error { return c.Load(ctx, nil) })
}

// Checkpoint waits until the server writes nothing in the background. It does not flush the page
// cache of the server's machine, and Describe notes that.
func (c *Connected) Checkpoint(ctx context.Context) error {
	if _, err := c.awaitIdle(ctx, sharedBackgroundLimit); err != nil {
		return fmt.Errorf("cannot checkpoint: %w", err)
	}
	return nil
}

// Check returns an error unless the server is the one first reached, has not gone down since, and
// accepts writes. Its log can't be read.
func (c *Connected) Check(ctx context.Context) error {
	if c.run == "" {
		return errors.New("the server has not been reached yet")
	}
	f, err := c.answer(ctx)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("the server cannot be used: %w", err)
	case f["run_id"] != c.run:
		return errors.New("the server was restarted")
	}
	return c.takesWrites(ctx, f, "")
}

// Describe reads the actual state of the system under test.
func (c *Connected) Describe(ctx context.Context) (record.Environment, error) {
	asked := time.Now()
	e, f, err := c.describe(ctx, "connected")
	if err != nil {
		return e, err
	}
	facts := examine.Facts{Transport: e.Transport, Asked: asked, Info: f, Settings: e.Settings, Process: examine.Find(ctx, &c.Session, f)}
	facts.Program, _, _ = f.Version()
	c.site = examine.Locate(facts)
	engine.Site{Local: c.site.Local, PID: c.site.PID, Places: c.site.Places}.Describe(&e, "data", "aof")
	e.Warnings = append(e.Warnings, record.Note{Rule: "no-checkpoint",
		Text: "plinth neither rewrites the append-only file of a connected server between runs nor syncs its disk: runs may begin with writes still pending"})
	if differing := conf.NotInForce(c.Experiment.SettingsOf(c.Environment), e.Settings); e.Settings != nil && len(differing) > 0 {
		e.Warnings = append(e.Warnings, engine.NotInForce(strings.Join(differing, ", ")))
	}
	return e, nil
}

// PID returns the server's PID; 0 if it is not known to run on this machine.
func (c *Connected) PID() int { return c.site.PID }

// Activity reads what the server has done on its own since it started.
func (c *Connected) Activity(ctx context.Context) (engine.Activity, error) {
	a, err := c.activity(ctx, nil)
	a.PID = c.site.PID
	return a, err
}

// Remove removes plinth's keys.
func (c *Connected) Remove(ctx context.Context) error {
	defer c.Close()
	if c.note == nil {
		return nil
	}
	err := c.Use(ctx, func(rdb *goredis.Client) error { return unlink(ctx, rdb, c.prefix) })
	if err != nil {
		return fmt.Errorf("cannot remove keys %s* at %s: %w", c.prefix, c.address.Address, err)
	}
	if err := c.Journal.Forget(*c.note); err != nil {
		return err
	}
	c.note = nil
	return nil
}
