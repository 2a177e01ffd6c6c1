// Package address parses and checks the addresses of other machines: ssh://user@host:port, or a command.
package address

import (
	"errors"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"plinth/internal/hint"
)

// Address says how plinth is started at the other end: over ssh, or by a command.
type Address struct {
	Host string // as ssh knows it: a name, an alias of its configuration, or an IP address without brackets
	User string // empty for the one that ssh chooses
	Port int    // 0 for the one that ssh chooses

	Command []string // starts the agent itself, such as docker exec; then the others are empty
}

// The characters that a user and a host may consist of. The first is never a hyphen: ssh would take
// the word for an option. None has a meaning for a shell, because a ProxyCommand of the user's
// configuration may pass them to one.
var (
	userName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$`)
	hostName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,252}$`)
)

// Hints of Parse.
const (
	addressForm = "write ssh://host, ssh://user@host or ssh://user@host:port"
	inConfig    = "set everything else for a Host in ~/.ssh/config, and give that name: ssh://name"
)

// Parse reads ssh://user@host:port, of which user and port may be left out.
func Parse(text string) (Address, error) {
	rest, is := strings.CutPrefix(text, "ssh://")
	if !is {
		return Address{}, hint.Errorf(addressForm, "%q is not an address of plinth: it does not begin with ssh://", shown(text))
	}
	authority, _, path := strings.Cut(rest, "/")
	switch {
	case path:
		return Address{}, hint.Errorf(addressForm, "the address %q has a path", shown(text))
	case strings.ContainsAny(rest, "?#"):
		return Address{}, hint.Errorf(inConfig, "the address %q has a query or a fragment", shown(text))
	}
	var a Address
	user, host, hasUser := strings.Cut(authority, "@")
	if !hasUser {
		user, host = "", authority
	}
	if strings.Contains(user, ":") {
		return Address{}, hint.Errorf("use a key: ssh-copy-id installs one; plinth never asks for a password", "the address %q has a password", shown(text))
	}
	a.User = user
	host, port, err := splitPort(host)
	if err != nil {
		return Address{}, hint.Errorf(addressForm, "cannot read the address %q: %w", shown(text), err)
	}
	a.Host, a.Port = host, port
	if err := a.Check(); err != nil {
		return Address{}, err
	}
	if hasUser && user == "" {
		return Address{}, hint.Errorf(addressForm, "the address %q has an empty user name", shown(text))
	}
	return a, nil
}

// splitPort splits host:port, [address]:port or either without a port.
func splitPort(text string) (host string, port int, err error) {
	host, digits, hasPort := strings.Cut(text, ":")
	if inside, is := strings.CutPrefix(text, "["); is {
		address, after, closed := strings.Cut(inside, "]")
		ip, err := netip.ParseAddr(address)
		if !closed || err != nil || !ip.Is6() || ip.Zone() != "" {
			return "", 0, errors.New("the brackets must contain an IPv6 address without a zone")
		}
		host = address
		if digits, hasPort = strings.CutPrefix(after, ":"); !hasPort && after != "" {
			return "", 0, errors.New("only a port can follow the brackets")
		}
	} else if strings.Contains(digits, ":") {
		return "", 0, errors.New("an IPv6 address is written in brackets")
	}
	if !hasPort {
		return host, 0, nil
	}
	port, err = strconv.Atoi(digits)
	if err != nil || port < 1 || port > 65535 || strconv.Itoa(port) != digits {
		return "", 0, errors.New("a port is a number from 1 to 65535")
	}
	return host, port, nil
}

// Check refuses an address that ssh or a shell could misunderstand, wherever it comes from.
func (a Address) Check() error {
	if len(a.Command) > 0 {
		if a.Host != "" || a.User != "" || a.Port != 0 || a.Command[0] == "" {
			return hint.Errorf("write either ssh://host or a command", "an address is a host or a command, not both")
		}
		return nil
	}
	ip, err := netip.ParseAddr(a.Host)
	isIP := err == nil && ip.Zone() == ""
	switch {
	case a.Host == "":
		return hint.Errorf(addressForm, "the address has no host")
	case !isIP && !hostName.MatchString(a.Host):
		return hint.Errorf(inConfig, "%q is not a host name: it consists of letters, digits, '.', '-' and '_', and does not begin with '-'", a.Host)
	case a.User != "" && !userName.MatchString(a.User):
		return hint.Errorf(inConfig, "%q is not a user name: it consists of letters, digits, '.', '-' and '_', and does not begin with '-'", a.User)
	case a.Port < 0 || a.Port > 65535:
		return hint.Errorf(addressForm, "%d is not a port: it is a number from 1 to 65535", a.Port)
	}
	return nil
}

// shown hides a password in the text of an address, also in one that cannot be read.
func shown(text string) string {
	if u, err := url.Parse(text); err == nil && u.Host != "" && !strings.Contains(u.Path, "@") {
		return u.Redacted()
	}
	scheme, rest, is := strings.Cut(text, "://")
	if is {
		scheme += "://"
	} else {
		scheme, rest = "", text
	}
	if at := strings.LastIndexByte(rest, '@'); at >= 0 && (is || strings.Contains(rest[:at], ":")) {
		return scheme + "…" + rest[at:]
	}
	return text
}

// String returns the address as a user writes it.
func (a Address) String() string {
	if len(a.Command) > 0 {
		return strings.Join(a.Command, " ")
	}
	text := "ssh://"
	if a.User != "" {
		text += a.User + "@"
	}
	if strings.Contains(a.Host, ":") {
		text += "[" + a.Host + "]"
	} else {
		text += a.Host
	}
	if a.Port != 0 {
		text += ":" + strconv.Itoa(a.Port)
	}
	return text
}

// Name returns what messages call the other end.
func (a Address) Name() string {
	if len(a.Command) > 0 {
		return a.String()
	}
	return a.Host
}
