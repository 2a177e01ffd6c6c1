package postgres

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"plinth/internal/experiment"
	"plinth/internal/hint"
)

// StatisticsOf is how to reach a server that is only looked at. Errors quote nothing of
// the connection string, which may hold a password.
func StatisticsOf(conninfo experiment.Conninfo) (*pgx.ConnConfig, error) {
	if err := conninfo.Check(); err != nil {
		text, advice, _ := strings.Cut(err.Error(), "; ")
		err = fmt.Errorf("the connection string %s", text)
		if advice != "" {
			err = hint.Wrap(err, advice)
		}
		return nil, err
	}
	info, err := conninfo.Parameters()
	if err != nil {
		return nil, fmt.Errorf("the connection string %w", err)
	}
	if err := checkValues(info); err != nil {
		return nil, err
	}
	config, err := connectConfig(info)
	switch {
	case err != nil && info.Get("service") != "":
		return nil, hint.Wrap(err, "a service is a section of ~/.pg_service.conf, or of the file that PGSERVICEFILE names")
	case err != nil:
		return nil, hint.Wrap(err, "a value in it, in a variable such as PGPORT, or in a file that it names, can't be understood")
	}
	return config, nil
}

// sslModes are those that libpq knows.
// https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNECT-SSLMODE
var sslModes = []string{"disable", "allow", "prefer", "require", "verify-ca", "verify-full"}

// checkValues finds values that can't be. The client library would not say which
// they are, or quote them: a password without its @ is taken for a port.
func checkValues(info experiment.Parameters) error {
	if strings.Contains(info.Get("host")+info.Get("hostaddr")+info.Get("port"), ",") {
		return hint.Errorf("name the one that is to be looked at", "the connection string names several servers")
	}
	if text := info.Get("port"); text != "" {
		if port, err := strconv.ParseUint(text, 10, 16); err != nil || port == 0 {
			return hint.Errorf("a port is a number from 1 to 65535; a password stands before the host: user:password@host",
				"the connection string has no port where a port should be")
		}
	}
	if text := info.Get("connect_timeout"); text != "" {
		if _, err := strconv.ParseInt(text, 10, 32); err != nil {
			return hint.Errorf("write seconds, without a unit: connect_timeout=5", "the connection string has a connect_timeout that is no number of seconds")
		}
	}
	if text := info.Get("sslmode"); text != "" && !slices.Contains(sslModes, text) {
		return hint.Errorf("it can be "+strings.Join(sslModes, ", "), "the connection string has an sslmode that there is not")
	}
	return nil
}
