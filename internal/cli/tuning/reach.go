package tuning

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"plinth/internal/conninfo"
	"plinth/internal/engine/postgres/console"
	"plinth/internal/engine/postgres/examine"
	redisconsole "plinth/internal/engine/redis/console"
	redisexamine "plinth/internal/engine/redis/examine"
	"plinth/internal/host/launch"
	"plinth/internal/inspect"
	"plinth/internal/tune"
	"plinth/internal/tune/libvirt"
)

// reachFlags names the server and the domain to which a journal's entries may belong.
type reachFlags struct{ server, domain, uri string }

func (f *reachFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.server, "server", "", "the `SERVER` whose settings were changed")
	cmd.Flags().StringVar(&f.domain, "domain", "", "`NAME` of the libvirt virtual machine that was changed")
	cmd.Flags().StringVar(&f.uri, "libvirt", "", "`URI` of libvirt, such as qemu:///system (default: that of virsh)")
}

// reach connects to the server and the domain that were named.
func (f *reachFlags) reach(ctx context.Context) (reached []tune.Reached, done func(), err error) {
	done = func() {}
	if f.server != "" {
		server, end, err := reachServer(ctx, f.server)
		if err != nil {
			return nil, done, err
		}
		reached, done = append(reached, server), end
	}
	if f.domain != "" || f.uri != "" {
		domain, err := libvirt.Find(ctx, launch.NewLocal(), f.uri, f.domain)
		if err != nil {
			done()
			return nil, func() {}, err
		}
		reached = append(reached, domain)
	}
	return reached, done, nil
}

func reachServer(ctx context.Context, text string) (tune.Server, func(), error) {
	target, err := inspect.ParseTarget(text)
	if err == nil && target.Server == "" {
		err = errors.New("--server: this is a directory")
	}
	if err != nil {
		return nil, nil, err
	}
	seen, err := inspect.Look(ctx, target)
	if err != nil {
		return nil, nil, err
	}
	return openServer(ctx, target.Server, seen)
}

// openServer connects to a server that was examined before.
func openServer(ctx context.Context, conninfo conninfo.Conninfo, seen inspect.Inspection) (tune.Server, func(), error) {
	if seen.Redis != nil {
		c, err := redisconsole.Open(ctx, conninfo, redisexamine.Locate(*seen.Redis))
		if err != nil {
			return nil, nil, err
		}
		return tunedRedis{c}, c.Close, nil
	}
	c, err := console.Open(ctx, conninfo, examine.Locate(*seen.Server))
	if err != nil {
		return nil, nil, err
	}
	return tunedPostgres{c}, c.Close, nil
}

// tunedPostgres is a PostgreSQL server whose parameters are knobs. It converts a parameter to the
// identical type of package tune: packages on one floor do not import each other.
type tunedPostgres struct{ *console.Console }

// Setting returns a parameter, as the server describes it.
func (s tunedPostgres) Setting(ctx context.Context, name string) (tune.ServerSetting, bool, error) {
	p, found, err := s.Parameter(ctx, name)
	return tune.ServerSetting(p), found, err
}

// tunedRedis is a Redis or Valkey server whose settings are knobs.
type tunedRedis struct{ *redisconsole.Console }

// Setting returns a setting, as the server describes it.
func (s tunedRedis) Setting(ctx context.Context, name string) (tune.ServerSetting, bool, error) {
	p, found, err := s.Parameter(ctx, name)
	return tune.ServerSetting(p), found, err
}
