package inspect

import (
	"strings"

	"plinth/internal/engine/postgres"
)

// set says how a setting of the server gets a value, from where it has its present
// one: ALTER SYSTEM does nothing about a command line, a database or a role.
// https://www.postgresql.org/docs/current/view-pg-settings.html (source)
func (e evidence) set(in *Input, name, value string) evidence {
	s, _ := in.setting(name)
	switch s.Source {
	case "command line":
		e.do = "start the server without " + name + " on its command line, which wins over its files"
	case "environment variable", "client":
		e.do = "take " + name + " out of PGOPTIONS and of the connection string"
	case "database":
		e.do = "ALTER DATABASE " + identifier(in.Server.Database) + " RESET " + name
	case "user":
		e.do = "ALTER ROLE " + identifier(in.Server.User) + " RESET " + name
	case "database user":
		e.do = "ALTER ROLE " + identifier(in.Server.User) + " IN DATABASE " + identifier(in.Server.Database) + " RESET " + name
	default:
		e.do = alterSystem(s, name, value)
	}
	return e
}

func alterSystem(s postgres.Setting, name, value string) string {
	if strings.Trim(value, "0123456789.") != "" && value != "on" {
		value = "'" + value + "'"
	}
	command := "ALTER SYSTEM SET " + name + " = " + value
	if s.NeedsRestart {
		return command + ", then restart the server"
	}
	return command + "; SELECT pg_reload_conf()"
}

// identifier quotes a name as SQL needs it.
func identifier(name string) string {
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == "" {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}
