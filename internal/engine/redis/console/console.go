// Package console reads and changes the settings of an existing Redis or Valkey server.
package console

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"plinth/internal/conninfo"
	"plinth/internal/engine"
	"plinth/internal/engine/redis/client"
	"plinth/internal/engine/redis/conf"
	"plinth/internal/engine/redis/examine"
)

// Console is a connection that reads and changes the settings of an existing server. Changes last
// until the server ends: CONFIG REWRITE would rewrite redis.conf in a way that cannot be undone
// byte for byte.
type Console struct {
	server client.Session
	site   examine.Site
}

// Parameter holds what a server reports about one of its settings.
type Parameter struct {
	Value   string // as CONFIG GET has it
	Restart bool   // it is read only when the server starts
	// NewSessions is always false.
	NewSessions bool
	Settable    bool   // CONFIG SET by this user would change it
	Why         string // why not
	// Same reports whether a value means the same as Value: "100mb" is "104857600". It cannot
	// detect values that the server would reject: Redis reports that only when they are set.
	Same func(value string) (bool, error)
}

// consoleLimit is how long one answer may take.
const consoleLimit = 10 * time.Second

// Open connects to a server. The error says why that is not possible, and quotes nothing of the
// connection string, which may hold a password.
func Open(ctx context.Context, conninfo conninfo.Conninfo, site examine.Site) (*Console, error) {
	o, err := client.OptionsOf(conninfo)
	if err != nil {
		return nil, err
	}
	o.ReadTimeout, o.WriteTimeout = consoleLimit, consoleLimit
	c := &Console{server: client.Session{Options: o}, site: site}
	if err := c.server.Use(ctx, func(rdb *goredis.Client) error { return rdb.Ping(ctx).Err() }); err != nil {
		c.server.Close()
		return nil, client.Unreachable(o, err)
	}
	return c, nil
}

// Close ends the connection.
func (c *Console) Close() { c.server.Close() }

// Name identifies the server; it stays the same after a restart.
func (c *Console) Name() string { return "Redis at " + c.server.Options.Addr }

// PID returns the server's PID; 0 if it is not known to be on this machine.
func (c *Console) PID() int { return c.site.PID }

// Names returns all settings of the server.
func (c *Console) Names(ctx context.Context) ([]string, error) {
	settings, err := c.get(ctx, "*")
	return slices.Sorted(maps.Keys(settings)), err
}

func (c *Console) get(ctx context.Context, pattern string) (settings map[string]string, err error) {
	err = c.server.Use(ctx, func(rdb *goredis.Client) error {
		settings, err = rdb.ConfigGet(ctx, pattern).Result()
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("cannot query the server's settings: %s", client.RefusedBecause(err))
	}
	return settings, nil
}

// Parameter returns a setting and whether it can be changed; false if the server has none of this
// name.
func (c *Console) Parameter(ctx context.Context, name string) (Parameter, bool, error) {
	name = strings.ToLower(name)
	if strings.ContainsAny(name, `*?[]\`) { // CONFIG GET would take it for a pattern
		return Parameter{}, false, nil
	}
	settings, err := c.get(ctx, name)
	value, found := settings[name]
	if err != nil || !found {
		return Parameter{}, false, err
	}
	if conf.Hidden.MatchString(name) {
		return Parameter{Why: "its value is a secret or refers to one, which plinth does not store in a journal",
			Same: func(string) (bool, error) { return false, nil }}, true, nil
	}
	p := Parameter{Value: value, Same: func(other string) (bool, error) { return conf.Same(name, other, value), nil }}
	p.Restart, p.Why = c.refuses(ctx, name, value)
	p.Settable = p.Why == ""
	return p, true, nil
}

// refuses reports whether CONFIG SET would reject a setting, and why. It sends a CONFIG SET that
// has the setting twice: the server checks what may be set before it rejects the duplicate name,
// and sets neither. Before Redis 7 the command accepts only one setting, and the result is
// unknown.
func (c *Console) refuses(ctx context.Context, name, value string) (restart bool, why string) {
	err := c.server.Use(ctx, func(rdb *goredis.Client) error {
		return rdb.Do(ctx, "CONFIG", "SET", name, value, name, value).Err()
	})
	switch {
	case err == nil: // no server answers this
	case strings.Contains(err.Error(), "immutable"):
		return true, "the server reads it only at startup: set it in redis.conf"
	case strings.Contains(err.Error(), "protected"):
		return false, "the server protects it (enable-protected-configs)"
	case client.Says(err, "NOPERM"):
		return false, "this user lacks the permission +config|set (ACL SETUSER)"
	case client.Says(err, "ERR unknown command"), client.Says(err, "ERR unknown subcommand"):
		return false, "CONFIG is renamed or disabled, as on managed servers"
	}
	return false, ""
}

var errKept = errors.New("the server keeps no earlier value of a setting; set the earlier value explicitly")

// Set sets a setting by CONFIG SET.
func (c *Console) Set(ctx context.Context, name string, value *string) error {
	if value == nil {
		return fmt.Errorf("cannot reset %s: %w", name, errKept)
	}
	err := c.server.Use(ctx, func(rdb *goredis.Client) error { return rdb.ConfigSet(ctx, name, *value).Err() })
	if err != nil {
		return fmt.Errorf("cannot set %s: %w", name, engine.Plain(err))
	}
	return nil
}

// Lasting returns the value in force: CONFIG SET keeps no other.
func (c *Console) Lasting(ctx context.Context, name string) (*string, error) {
	settings, err := c.get(ctx, strings.ToLower(name))
	value, found := settings[strings.ToLower(name)]
	if err != nil || !found {
		return nil, err
	}
	return &value, nil
}

// Reload does nothing: CONFIG SET takes effect at once.
func (c *Console) Reload(context.Context) error { return nil }
