package cli

import (
	"context"

	"plinth/internal/conninfo"
	"plinth/internal/engine/postgres"
	redisengine "plinth/internal/engine/redis"
	"plinth/internal/inspect"
	"plinth/internal/tune"
)

// tunedPostgres is a server of PostgreSQL whose parameters are knobs. Servers of both kinds
// say of a parameter what tune asks: the same facts in types of their own, since packages
// of one floor do not import each other.
type tunedPostgres struct{ *postgres.Console }

// Setting is a parameter with what the server says of it.
func (s tunedPostgres) Setting(ctx context.Context, name string) (tune.ServerSetting, bool, error) {
	p, there, err := s.Parameter(ctx, name)
	return tune.ServerSetting(p), there, err
}

// tunedRedis is a server of Redis or Valkey whose settings are knobs.
type tunedRedis struct{ *redisengine.Console }

// Setting is a setting with what the server says of it.
func (s tunedRedis) Setting(ctx context.Context, name string) (tune.ServerSetting, bool, error) {
	p, there, err := s.Parameter(ctx, name)
	return tune.ServerSetting(p), there, err
}

// openServer reaches the server of a connection string that was looked at before.
func openServer(ctx context.Context, conninfo conninfo.Conninfo, seen inspect.Inspection) (tune.Server, func(), error) {
	if seen.Redis != nil {
		c, err := redisengine.OpenConsole(ctx, conninfo, redisengine.Locate(*seen.Redis))
		if err != nil {
			return nil, nil, err
		}
		return tunedRedis{c}, c.Close, nil
	}
	c, err := postgres.OpenConsole(ctx, conninfo, postgres.Locate(*seen.Server))
	if err != nil {
		return nil, nil, err
	}
	return tunedPostgres{c}, c.Close, nil
}
