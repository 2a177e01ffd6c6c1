// Package console reads the parameters of an existing PostgreSQL server, and changes them
// persistently.
package console

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"plinth/internal/conninfo"
	"plinth/internal/engine/postgres/client"
	"plinth/internal/engine/postgres/examine"
	"plinth/internal/engine/postgres/setting"
	"plinth/internal/hint"
)

// Console is a connection that reads the parameters of an existing server, and changes them
// persistently.
type Console struct {
	config  *pgx.ConnConfig
	conn    *pgx.Conn
	version int // major
	name    string
	site    examine.Site
	alter   bool // the role may use ALTER SYSTEM for everything: a superuser
	refused bool // ALTER SYSTEM is turned off (allow_alter_system, from PostgreSQL 17 on)
}

// Parameter holds what a server reports about one of its parameters.
type Parameter struct {
	Value   string // as SHOW prints it: "128MB"
	Restart bool   // it changes only when the server starts
	// NewSessions says that only sessions have it that begin after the change.
	NewSessions bool
	Settable    bool   // ALTER SYSTEM by this role would change it
	Why         string // why not
	// Same reports whether a value means the same as Value: "0.125GB" is "128MB". It returns an
	// error if the server would reject the value.
	Same func(value string) (bool, error)
}

// consoleLimit is how long one answer may take.
const consoleLimit = 10 * time.Second

// Open connects to a server. The error says why that is not possible, and quotes nothing of the
// connection string, which may hold a password.
func Open(ctx context.Context, conninfo conninfo.Conninfo, site examine.Site) (*Console, error) {
	config, err := client.ConfigOf(conninfo)
	if err != nil {
		return nil, err
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, client.Unreachable(config, err)
	}
	c := &Console{config: config, conn: conn, site: site}
	var f examine.Facts
	err = client.ReadOnly(ctx, conn, func(ctx context.Context) error {
		if err := examine.Identity(ctx, conn, &f); err != nil {
			return err
		}
		return client.One(ctx, conn, "SELECT coalesce(current_setting('allow_alter_system', true), 'on') = 'off'", &c.refused)
	})
	if err != nil {
		client.Leave(conn)
		return nil, fmt.Errorf("cannot query the server: %w", client.Plain(err))
	}
	c.version, c.alter = f.VersionN/10000, f.Role.Superuser
	_, address := client.Transport(conn.PgConn(), config)
	c.name = "PostgreSQL at " + address
	if data := site.Places["data"]; data != "" { // its port may change
		c.name = "PostgreSQL in " + data
	}
	return c, nil
}

// Name identifies the server; it stays the same after a restart.
func (c *Console) Name() string { return c.name }

// Close ends the connection.
func (c *Console) Close() { client.Leave(c.conn) }

// connect connects again if the connection is lost: the server may have been restarted, or have ended an idle
// session, since the console was opened.
func (c *Console) connect(ctx context.Context) error {
	if c.conn.Ping(ctx) == nil {
		return nil
	}
	conn, err := pgx.ConnectConfig(ctx, c.config)
	if err != nil {
		return client.Unreachable(c.config, err)
	}
	client.Leave(c.conn)
	c.conn = conn
	return nil
}

// PID returns the PID of the server's first process; 0 if it is not known to be on this machine.
func (c *Console) PID() int { return c.site.PID }

// Names returns all parameters of the server.
func (c *Console) Names(ctx context.Context) (names []string, err error) {
	if err := c.connect(ctx); err != nil {
		return nil, err
	}
	err = client.ReadOnly(ctx, c.conn, func(ctx context.Context) error {
		return client.One(ctx, c.conn, "SELECT array_agg(name ORDER BY name) FROM pg_settings", &names)
	})
	return names, client.Plain(err)
}

// row is a row of pg_settings.
// https://www.postgresql.org/docs/current/view-pg-settings.html
type row struct {
	Name, Value, Unit, Context, Type, Source, Reset string
	Least, Most                                     string
	Words                                           []string
	Pending, Granted                                bool
}

// The server reports a setting of the command line as pending if a file has it, too.
const parameterSQL = `SELECT name, current_setting(name), coalesce(unit, ''), context, vartype, source,
	coalesce(reset_val, ''), coalesce(min_val, ''), coalesce(max_val, ''), coalesce(enumvals, '{}'),
	pending_restart AND source <> 'command line', %s
	FROM pg_settings WHERE lower(name) = lower($1)`

// Parameter returns a parameter and its limits; false if the server has none of this name.
func (c *Console) Parameter(ctx context.Context, name string) (Parameter, bool, error) {
	granted := "false"
	if c.version >= 15 { // before, only superusers could
		granted = "has_parameter_privilege(name, 'ALTER SYSTEM')"
	}
	if err := c.connect(ctx); err != nil {
		return Parameter{}, false, err
	}
	var found []row
	err := client.ReadOnly(ctx, c.conn, func(ctx context.Context) (err error) {
		found, err = client.All[row](ctx, c.conn, fmt.Sprintf(parameterSQL, granted), name)
		return err
	})
	if err != nil {
		return Parameter{}, false, fmt.Errorf("cannot read %s from the server: %w", name, client.Plain(err))
	}
	if len(found) == 0 {
		return Parameter{}, false, nil
	}
	r := found[0]
	if slices.Contains(client.OwnSettings, r.Name) { // the value is that of ReadOnly's transaction
		r.Value = setting.Printed(r.Reset, r.Unit)
	}
	p := Parameter{Value: r.Value, Restart: r.Context == "postmaster", NewSessions: strings.HasSuffix(r.Context, "backend"), Why: c.whyNot(r)}
	p.Settable = p.Why == ""
	p.Same = func(value string) (bool, error) {
		same, err := c.same(ctx, r, value)
		return same && !r.Pending, err // the next start brings another value
	}
	return p, true, nil
}

// whyNot returns why ALTER SYSTEM would not change a parameter; "" if it would.
// https://www.postgresql.org/docs/current/sql-altersystem.html
func (c *Console) whyNot(r row) string {
	switch {
	case r.Context == "internal":
		return "it is fixed when the server is built or its cluster is created"
	case c.refused:
		return "the server refuses ALTER SYSTEM (allow_alter_system is off), as CloudNativePG's do: use plinth tune render --to cnpg, or --to postgresql.conf"
	case setting.Hidden.MatchString(r.Name):
		return "its value may hold a secret, which plinth does not store in a journal"
	case r.Source == "command line":
		return "it is set on the server's command line, which overrides ALTER SYSTEM"
	case r.Source == "environment variable":
		return "it is set in the server's environment, which overrides ALTER SYSTEM"
	case strings.Contains(r.Source, "database"), strings.Contains(r.Source, "user"):
		return "it is set for plinth's sessions by ALTER DATABASE or ALTER ROLE, which overrides ALTER SYSTEM"
	case !c.alter && !r.Granted && c.version >= 15:
		return "this role lacks the privilege: superuser or GRANT ALTER SYSTEM ON PARAMETER is required"
	case !c.alter && !r.Granted:
		return "this role lacks the privilege: superuser is required"
	}
	return ""
}

// same asks the server if a session may set the parameter, in a transaction that is rolled back:
// the answer has the server's own wording and spelling. Other parameters are compared by their
// unit and range.
func (c *Console) same(ctx context.Context, r row, value string) (bool, error) {
	if setting.IsList(r.Name) && strings.TrimSpace(value) == "" && r.Value != "" {
		return false, hint.Errorf("ALTER SYSTEM RESET "+r.Name+" removes it", "ALTER SYSTEM cannot store an empty list")
	}
	if r.Context == "user" || r.Context == "superuser" && c.alter {
		var spelled string
		err := client.ReadOnly(ctx, c.conn, func(ctx context.Context) error {
			return c.conn.QueryRow(ctx, "SELECT set_config($1, $2, true)", r.Name, value).Scan(&spelled)
		})
		if err != nil {
			return false, fmt.Errorf("the server rejects the value: %w", client.Plain(err))
		}
		return spelled == r.Value || setting.SameList(r.Name, value, r.Value), nil
	}
	if err := r.accepts(value); err != nil {
		return false, err
	}
	return setting.Same(value, r.Value, r.Unit) || setting.SameList(r.Name, value, r.Value), nil
}

// accepts returns an error if the server would reject a value, according to pg_settings. The
// error has the server's wording.
func (r row) accepts(value string) error {
	switch r.Type {
	case "enum":
		known := func(word string) bool { return strings.EqualFold(word, strings.TrimSpace(value)) }
		// If the words include switches, all spellings of a switch are valid: huge_pages is on,
		// off or try.
		_, isSwitch := setting.Switches[strings.ToLower(strings.TrimSpace(value))]
		if !slices.ContainsFunc(r.Words, known) && (!isSwitch || !slices.Contains(r.Words, "on")) {
			return hint.Errorf("Available values: "+strings.Join(r.Words, ", "), "invalid value for parameter %q: %q", r.Name, value)
		}
	case "bool":
		if _, isSwitch := setting.Switches[strings.ToLower(strings.TrimSpace(value))]; !isSwitch {
			return hint.Errorf("use on or off", "parameter %q requires a Boolean value", r.Name)
		}
	case "integer", "real":
		return r.inRange(value)
	}
	return nil
}

// inRange checks a number against the range of its parameter, whose bounds are in its own unit.
func (r row) inRange(value string) error {
	const scale = 1e6 // for parameters without a unit: quantities are whole numbers, and this keeps fractions
	units, bare := setting.TimeUnits, float64(scale)
	if strings.HasSuffix(r.Unit, "B") {
		units = setting.MemoryUnits
	}
	if r.Unit != "" {
		bare, _ = setting.BaseUnit(r.Unit, units)
	} else {
		units = nil
	}
	n, err := setting.Quantity(value, bare, units)
	if err != nil {
		return hint.Errorf(unitHint(r.Unit), "invalid value for parameter %q: %q", r.Name, value)
	}
	least, errLeast := setting.Quantity(r.Least, bare, units)
	most, errMost := setting.Quantity(r.Most, bare, units)
	// Bounds beyond what fits in nanoseconds do not apply.
	if errLeast == nil && n < least || errMost == nil && n > most {
		most := r.Most
		if r.Unit != "" {
			most += " " + r.Unit
		}
		return fmt.Errorf("%s is outside the valid range for parameter %q (%s .. %s)", value, r.Name, r.Least, most)
	}
	return nil
}

func unitHint(unit string) string {
	switch {
	case strings.HasSuffix(unit, "B"):
		return `Valid units for this parameter are "B", "kB", "MB", "GB", and "TB".`
	case unit != "":
		return `Valid units for this parameter are "us", "ms", "s", "min", "h", and "d".`
	}
	return "give a number without a unit"
}

// Set sets a parameter by ALTER SYSTEM, or resets it if value is nil. The change takes effect
// after Reload, or at the next start.
func (c *Console) Set(ctx context.Context, name string, value *string) error {
	ctx, cancel := context.WithTimeout(ctx, consoleLimit)
	defer cancel()
	statement := "ALTER SYSTEM RESET " + pgx.Identifier{name}.Sanitize()
	if value != nil {
		statement = "ALTER SYSTEM SET " + pgx.Identifier{name}.Sanitize() + " = " + literals(name, *value)
	}
	if err := c.connect(ctx); err != nil {
		return err
	}
	if _, err := c.conn.Exec(ctx, statement); err != nil {
		return fmt.Errorf("cannot set %s: %w", name, client.Plain(err))
	}
	return nil
}

// literals returns a value as SQL literals. They are escape strings, so that backslashes stand
// for themselves whatever standard_conforming_strings is.
func literals(name, value string) string {
	each := setting.Literals(name, value)
	for i, text := range each {
		each[i] = "E'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(text) + "'"
	}
	return strings.Join(each, ", ")
}

const lastingSQL = `SELECT setting FROM pg_file_settings
	WHERE sourcefile LIKE '%/postgresql.auto.conf' AND lower(name) = lower($1) ORDER BY seqno DESC LIMIT 1`

// Lasting returns what ALTER SYSTEM has set a parameter to; nil if nothing.
func (c *Console) Lasting(ctx context.Context, name string) (*string, error) {
	if err := c.connect(ctx); err != nil {
		return nil, err
	}
	var value *string
	err := client.ReadOnly(ctx, c.conn, func(ctx context.Context) error {
		return c.conn.QueryRow(ctx, lastingSQL, name).Scan(&value)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read what ALTER SYSTEM has set for %s: %w", name, client.Plain(err))
	}
	return value, nil
}

// Reload makes the server reload its configuration files, and waits until it has.
func (c *Console) Reload(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, consoleLimit)
	defer cancel()
	if err := c.connect(ctx); err != nil {
		return err
	}
	var before, now time.Time
	var asked bool
	err := client.One(ctx, c.conn, "SELECT pg_conf_load_time()", &before)
	if err == nil {
		err = client.One(ctx, c.conn, "SELECT pg_reload_conf()", &asked)
	}
	if err != nil {
		return fmt.Errorf("cannot make the server reload its configuration files: %w", client.Plain(err))
	}
	// Cancelling a query closes the connection, which notReloaded needs to find the reason.
	patient, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*consoleLimit)
	defer cancel()
	for {
		if err := client.One(patient, c.conn, "SELECT pg_conf_load_time()", &now); err != nil {
			return c.notReloaded(err)
		}
		if now.After(before) {
			return nil
		}
		select {
		case <-ctx.Done():
			return c.notReloaded(ctx.Err())
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// notReloaded returns why a server did not reload its files: usually a mistake in them.
func (c *Console) notReloaded(err error) error {
	var words string
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	const sql = `SELECT coalesce(string_agg(sourcefile || ':' || sourceline || ': ' || error, '; '), '') FROM pg_file_settings WHERE error IS NOT NULL`
	if client.One(ctx, c.conn, sql, &words) == nil && words != "" {
		return fmt.Errorf("the server does not reload its configuration files: %s", words)
	}
	return fmt.Errorf("the server does not reload its configuration files: %w", client.Plain(err))
}
