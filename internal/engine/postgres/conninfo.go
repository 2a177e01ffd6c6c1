package postgres

import (
	"errors"
	"net/url"
	"strings"
)

// conninfo is a libpq connection string taken apart: keywords and values, in
// order. Of two with the same keyword the later counts.
// https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING
type conninfo []keyword

type keyword struct{ name, value string }

// blank is what separates keywords.
const blank = " \t\n\r\v\f"

// get is the value of a keyword, "" when it is not there.
func (c conninfo) get(name string) (value string) {
	for _, k := range c {
		if k.name == name {
			value = k.value
		}
	}
	return value
}

// with is c with one value replaced or added.
func (c conninfo) with(name, value string) conninfo {
	return append(c.without(name), keyword{name, value})
}

func (c conninfo) without(names ...string) conninfo {
	var rest conninfo
	for _, k := range c {
		keep := true
		for _, name := range names {
			keep = keep && k.name != name
		}
		if keep {
			rest = append(rest, k)
		}
	}
	return rest
}

// String is c in the keyword form, with every value quoted where it must be.
func (c conninfo) String() string {
	var words []string
	for _, k := range c {
		value := k.value
		if value == "" || strings.ContainsAny(value, blank+`'\`) {
			value = "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(value) + "'"
		}
		words = append(words, k.name+"="+value)
	}
	return strings.Join(words, " ")
}

// parseConninfo reads both of libpq's forms. Its errors never quote the text,
// which may hold a password in the wrong place.
func parseConninfo(text string) (conninfo, error) {
	if strings.ContainsRune(text, 0) {
		return nil, errors.New("the connection string holds a NUL byte")
	}
	for _, scheme := range []string{"postgresql://", "postgres://"} {
		if rest, found := strings.CutPrefix(text, scheme); found {
			return parseURI(rest)
		}
	}
	return parseKeywords(text)
}

func parseKeywords(text string) (c conninfo, err error) {
	for {
		text = strings.TrimLeft(text, blank)
		if text == "" {
			return c, nil
		}
		name, rest, found := strings.Cut(text, "=")
		name = strings.TrimRight(name, blank)
		if !found || name == "" || strings.ContainsAny(name, blank) {
			return nil, errors.New("the connection string is neither a URI nor made of keyword=value")
		}
		var value string
		if value, text, err = parseValue(strings.TrimLeft(rest, blank)); err != nil {
			return nil, err
		}
		c = append(c, keyword{name, value})
	}
}

// parseValue reads one value, in single quotes or up to the next blank; a
// backslash takes away the meaning of what follows it.
func parseValue(text string) (value, rest string, err error) {
	quoted := strings.HasPrefix(text, "'")
	at := 0
	if quoted {
		at = 1
	}
	var b strings.Builder
	for ; at < len(text); at++ {
		char := text[at]
		switch {
		case char == '\\' && at+1 < len(text):
			at++
			b.WriteByte(text[at])
		case char == '\\':
		case quoted && char == '\'':
			return b.String(), text[at+1:], nil
		case !quoted && strings.IndexByte(blank, char) >= 0:
			return b.String(), text[at:], nil
		default:
			b.WriteByte(char)
		}
	}
	if quoted {
		return "", "", errors.New("a quote is not closed in the connection string")
	}
	return b.String(), "", nil
}

// parseURI reads [user[:password]@][host[:port][,...]][/dbname][?name=value[&...]].
// As in libpq, the first '@' before any '/' ends the user's part.
func parseURI(text string) (c conninfo, err error) {
	add := func(name, encoded string) {
		value, failed := url.PathUnescape(encoded)
		if failed != nil {
			err = errors.New("the connection URI has a % that is not followed by two hexadecimal digits")
		}
		if value != "" {
			c = append(c, keyword{name, value})
		}
	}
	text, query, _ := strings.Cut(text, "?")
	authority, database, _ := strings.Cut(text, "/")
	if account, hosts, found := strings.Cut(authority, "@"); found {
		authority = hosts
		user, password, _ := strings.Cut(account, ":")
		add("user", user)
		add("password", password)
	}
	hosts, ports, bad := splitHosts(authority)
	if bad {
		return nil, errors.New("the connection URI has a '[' that is not closed")
	}
	add("host", hosts)
	add("port", ports)
	add("dbname", database)
	for parameter := range strings.SplitSeq(query, "&") {
		name, value, found := strings.Cut(parameter, "=")
		switch {
		case parameter == "":
		case !found:
			return nil, errors.New("the connection URI has a parameter without a value")
		case name == "ssl" && value == "true": // as JDBC writes it
			add("sslmode", "require")
		default:
			if name, err = url.PathUnescape(name); err != nil || name == "" || strings.ContainsAny(name, blank+"='\\") {
				return nil, errors.New("the connection URI has a parameter whose name can't be read")
			}
			add(name, value)
		}
		if err != nil {
			return nil, err
		}
	}
	return c, err
}

// splitHosts parts a list of hosts and ports into a list of each; an address
// of IPv6 stands in brackets.
func splitHosts(list string) (hosts, ports string, bad bool) {
	var hostList, portList []string
	for one := range strings.SplitSeq(list, ",") {
		host, port, _ := strings.Cut(one, ":")
		if rest, found := strings.CutPrefix(one, "["); found {
			var tail string
			if host, tail, found = strings.Cut(rest, "]"); !found {
				return "", "", true
			}
			port = strings.TrimPrefix(tail, ":")
		}
		hostList, portList = append(hostList, host), append(portList, port)
	}
	if ports = strings.Join(portList, ","); strings.Trim(ports, ",") == "" {
		ports = ""
	}
	return strings.Join(hostList, ","), ports, false
}
