package fleet

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"plinth/internal/conninfo"
	"plinth/internal/engine"
	"plinth/internal/experiment"
)

// passwords are the variables by which load generators get a server's password.
var passwords = []string{"PGPASSWORD", "PLINTH_REDIS_PASSWORD"}

// locating are the connection parameters that only say where a PostgreSQL server is.
var locating = []string{"host", "hostaddr", "port", "user", "dbname", "sslmode"}

// checkTarget checks what the machine of an environment says of its server.
func (f *Fleet) checkTarget(environment string, target engine.Target) error {
	at := slices.IndexFunc(f.environments, func(e experiment.Environment) bool { return e.Name == environment })
	if at < 0 {
		return fmt.Errorf("there is no environment %q", environment)
	}
	return checkTarget(f.environments[at], f.reached[environment], target)
}

// checkTarget returns an error if what the machine of an environment says of its server is more than
// how to reach it. The machines of the load generators need not trust that one, and a connection
// string or a variable can name files of theirs. A server of plinth's own listens at a given address.
func checkTarget(e experiment.Environment, at netip.Addr, target engine.Target) error {
	for _, variable := range target.Env.Set {
		if name, _, _ := strings.Cut(variable, "="); !slices.Contains(passwords, name) {
			return fmt.Errorf("the agent of environment %s sets the variable %q for the load generators", e.Name, name)
		}
	}
	given, said := e.Connect, conninfo.Conninfo(target.Conninfo)
	if given == "" {
		hostPort, over := said.TCP()
		if host, _, err := net.SplitHostPort(hostPort); err != nil || !over || host != at.String() {
			return fmt.Errorf("the agent of environment %s says that the server is not at %s", e.Name, at)
		}
	}
	check := postgresTarget
	if said.Engine() == experiment.EngineRedis {
		check = redisTarget
	}
	if err := check(given, said); err != nil {
		return fmt.Errorf("the agent of environment %s: %w", e.Name, err)
	}
	return nil
}

// postgresTarget returns an error unless the parameters are those of the experiment, except the
// database, and where a server is that the experiment does not locate.
func postgresTarget(given, said conninfo.Conninfo) error {
	answered, err := said.Parameters()
	if err != nil {
		return err
	}
	var asked conninfo.Parameters
	if given != "" {
		if asked, err = given.Parameters(); err != nil {
			return err
		}
	}
	for _, p := range answered {
		value := asked.Get(p.Name)
		if value == p.Value || p.Name == "dbname" {
			continue
		}
		instead := p.Name == "hostaddr" && asked.Get("host") != "" || // it would take the place of the host
			p.Name == "sslmode" && given != "" && slices.Contains([]string{"disable", "allow"}, p.Value) // less than libpq's default
		if value != "" || instead || !slices.Contains(locating, p.Name) {
			return fmt.Errorf("it sets %q in the connection string", p.Name)
		}
	}
	return nil
}

// redisTarget returns an error unless the server and all parameters but the database and the prefix
// of the keys are those of the experiment.
func redisTarget(given, said conninfo.Conninfo) error {
	asked, err := url.Parse(given.Secret())
	answered, unreadable := url.Parse(said.Secret())
	if err != nil || unreadable != nil {
		return errors.New("cannot parse the address of the server")
	}
	where, _ := given.TCP()
	if now, _ := said.TCP(); given != "" && (asked.Scheme != answered.Scheme || where != now || asked.User.Username() != answered.User.Username() ||
		asked.Scheme == "unix" && asked.Path != answered.Path) {
		return errors.New("it changes the address of the server")
	}
	for name, values := range answered.Query() {
		if name != "prefix" && name != "db" && !slices.Equal(asked.Query()[name], values) {
			return fmt.Errorf("it sets %q in the address of the server", name)
		}
	}
	return nil
}
