package inspect

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/engine/postgres/examine"
	"plinth/internal/host"
	"plinth/internal/unit"
)

// found returns evidence with a text.
func found(format string, args ...any) evidence { return evidence{text: fmt.Sprintf(format, args...)} }

// on sets the subject to change.
func (e evidence) on(subject string) evidence {
	e.subject = subject
	return e
}

// at sets the subject to change, quoted for a shell: paths and database names may contain
// anything.
func (e evidence) at(subject string) evidence {
	if strings.Trim(subject, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-") != "" {
		subject = "'" + strings.ReplaceAll(subject, "'", `'\''`) + "'"
	}
	return e.on(subject)
}

// nothing is the result of a check without a finding.
var nothing = evidence{}

// sysctl returns the value of a sysctl; false if it is unknown or not a number.
func (in *Input) sysctl(name string) (int64, bool) {
	for _, s := range in.Machine.Sysctl {
		if s.Name == name {
			n, err := strconv.ParseInt(strings.TrimSpace(s.Value), 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}

// setting returns a setting of the server.
func (in *Input) setting(name string) (examine.Setting, bool) { return in.Server.Setting(name) }

// off reports whether a boolean setting of the server is known to be off.
func (in *Input) off(name string) bool {
	s, known := in.setting(name)
	return known && !s.On()
}

func (in *Input) place(role string) (host.Place, bool) {
	i := slices.IndexFunc(in.Machine.Places, func(p host.Place) bool { return p.Role == role })
	if i < 0 {
		return host.Place{}, false
	}
	return in.Machine.Places[i], true
}

// disks returns the disks of a role's place, or of all places if role is "".
func (in *Input) disks(role string) []host.Disk {
	var all []host.Disk
	for _, d := range in.Machine.Disks {
		if slices.ContainsFunc(in.Machine.Places, func(p host.Place) bool {
			return (role == "" || p.Role == role) && slices.Contains(p.Disks, d.Name)
		}) {
			all = append(all, d)
		}
	}
	return all
}

// disksWith returns the names of the places' disks for which holds returns true.
func (in *Input) disksWith(holds func(host.Disk) bool) []string {
	var names []string
	for _, d := range in.disks("") {
		if holds(d) {
			names = append(names, d.Name)
		}
	}
	return names
}

// placesWith returns the roles of the places for which holds returns true, and the first such
// place.
func (in *Input) placesWith(holds func(host.Place) bool) (roles []string, first host.Place) {
	for _, p := range in.Machine.Places {
		if !holds(p) {
			continue
		}
		if roles == nil {
			first = p
		}
		roles = append(roles, p.Role)
	}
	return roles, first
}

// option reports whether a place is mounted with one of some options.
func option(p host.Place, names ...string) bool {
	for have := range strings.SplitSeq(p.Options, ",") {
		if slices.Contains(names, have) {
			return true
		}
	}
	return false
}

// size formats a size, with a space before its unit: "2.3 GiB".
func size(bytes int64) string {
	text := unit.Size(bytes).String()
	at := strings.IndexFunc(text, func(r rune) bool { return r >= 'A' })
	return text[:at] + " " + text[at:]
}

// is returns the verb for n subjects.
func is(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// several formats a count: "1 slot", "2 slots".
func several(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// list joins names as in a sentence, and counts those beyond the first four if there are more
// than five.
func list(names []string) string {
	const most = 4
	last := len(names) - 1
	switch {
	case last > most:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	case last > 0:
		return strings.Join(names[:last], ", ") + " and " + names[last]
	}
	return strings.Join(names, "")
}

// ago formats a duration in seconds.
func ago(seconds float64) string {
	switch {
	case seconds < 120:
		return fmt.Sprintf("%.0f s", seconds)
	case seconds < 7200:
		return fmt.Sprintf("%.0f min", seconds/60)
	case seconds < 2*86400:
		return fmt.Sprintf("%.0f h", seconds/3600)
	}
	return fmt.Sprintf("%.0f days", seconds/86400)
}

// millions formats a number of transactions.
func millions(n int64) string {
	if n < 1e6 {
		return strconv.FormatInt(n, 10)
	}
	return fmt.Sprintf("%.0f million", float64(n)/1e6)
}

// set sets the advice for changing a server setting, depending on the source of its current
// value: ALTER SYSTEM does not override a command line, a database or a role.
// https://www.postgresql.org/docs/current/view-pg-settings.html (source)
func (e evidence) set(in *Input, name, value string) evidence {
	s, _ := in.setting(name)
	switch s.Source {
	case "command line":
		e.do = "start the server without " + name + " on its command line, which overrides its configuration files"
	case "environment variable", "client":
		e.do = "remove " + name + " from PGOPTIONS and from the connection string"
	case "database":
		e.do = "ALTER DATABASE " + identifier(in.Server.Database) + " RESET " + name
	case "user":
		e.do = "ALTER ROLE " + identifier(in.Server.User) + " RESET " + name
	case "database user":
		e.do = "ALTER ROLE " + identifier(in.Server.User) + " IN DATABASE " + identifier(in.Server.Database) + " RESET " + name
	default:
		if strings.Trim(value, "0123456789.") != "" && value != "on" {
			value = "'" + value + "'"
		}
		alter, _ := in.setting("allow_alter_system")
		e.do = "ALTER SYSTEM SET " + name + " = " + value
		switch {
		case alter.Value == "off":
			e.do = "set " + name + " = " + value + " in the server's configuration, since ALTER SYSTEM is turned off"
		case s.NeedsRestart:
			e.do += ", then restart the server"
		default:
			e.do += "; SELECT pg_reload_conf()"
		}
	}
	return e
}

// identifier quotes a name as SQL needs it.
func identifier(name string) string {
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == "" {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}
