// Package conninfo reads connection strings: how to reach a server that is already there,
// as libpq and redis-cli write it. It shows them without their secrets.
package conninfo

import (
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Conninfo says how to reach a server that is already there: of PostgreSQL a
// connection URI or a string of key=value pairs, as libpq reads them; of Redis a
// URI. It may hold a password, so it
// prints, marshals and compares for people without one.
//
// https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING
type Conninfo string

// secretParameters are libpq's connection parameters that hold a secret.
var secretParameters = []string{
	"password", "sslpassword", "oauth_client_secret", "scram_client_key", "scram_server_key",
}

// SecretParameter says whether a connection parameter holds a secret.
func SecretParameter(name string) bool { return slices.Contains(secretParameters, name) }

// Secret is the whole string, password included. It is for connecting only.
func (c Conninfo) Secret() string { return string(c) }

// String is c without its secrets. What can't be read is not shown at all,
// because nobody knows where in it the password is.
func (c Conninfo) String() string {
	const unreadable = "(a connection string that cannot be parsed)"
	switch {
	case c == "":
		return ""
	case c.Engine() == "redis":
		a, err := c.Redis()
		if err != nil {
			return unreadable
		}
		return a.String()
	}
	if body, isURI := c.uriBody(); isURI {
		return "postgresql://" + publicURI(body)
	}
	pairs, err := c.Parameters()
	if err != nil {
		return unreadable
	}
	return slices.DeleteFunc(pairs, func(p Parameter) bool { return isSecret(p.Name, p.Value) }).String()
}

// GoString keeps %#v from showing what String hides.
func (c Conninfo) GoString() string { return c.String() }

// MarshalText is String.
func (c Conninfo) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Parameters takes c apart, secrets included. The error says what is wrong with
// it ("has a quote ...") and quotes none of it: nobody knows where in what can't
// be read the password is.
func (c Conninfo) Parameters() (Parameters, error) {
	if strings.ContainsRune(string(c), 0) {
		return nil, errors.New("has a NUL byte")
	}
	if body, isURI := c.uriBody(); isURI {
		return parseURI(body)
	}
	return parsePairs(string(c))
}

// Check says what is wrong with c, without quoting any of it. Where libpq would
// guess, it refuses: a guess may take a part of a password for a host name.
func (c Conninfo) Check() error {
	if c.Engine() == "redis" {
		_, err := c.Redis()
		return err
	}
	if body, isURI := c.uriBody(); isURI {
		user, _, hasUser := strings.Cut(body, "@")
		if hasUser && strings.Contains(user, "/") || strings.Count(body, "@") > 1 {
			return errors.New("has an @ or a / in its user or password; write @ as %40 and / as %2F")
		}
	}
	all, err := c.Parameters()
	if err != nil {
		return err
	}
	return all.unknown()
}

func (c Conninfo) uriBody() (string, bool) {
	for _, scheme := range []string{"postgresql://", "postgres://"} {
		if body, found := strings.CutPrefix(string(c), scheme); found {
			return body, true
		}
	}
	return "", false
}

// publicURI drops the password and the secret parameters from what follows the
// scheme of a URI.
func publicURI(body string) string {
	user := ""
	at := strings.LastIndex(body, "@")
	if at >= 0 {
		user, _, _ = strings.Cut(body[:at], ":")
	}
	host, query, _ := strings.Cut(body[at+1:], "?") // this part can't hold the password of its user
	var public []string
	for parameter := range strings.SplitSeq(query, "&") {
		decoded, err := url.PathUnescape(parameter)
		name, value, _ := strings.Cut(decoded, "=")
		if err == nil && parameter != "" && !isSecret(name, value) {
			public = append(public, parameter)
		}
	}
	if user != "" {
		host = user + "@" + host
	}
	if len(public) > 0 {
		host += "?" + strings.Join(public, "&")
	}
	return host
}

// isSecret says whether a parameter holds a secret: by its name, or because its
// value is a connection string of its own, as a dbname can be.
func isSecret(name, value string) bool {
	value = strings.ToLower(value)
	return SecretParameter(strings.ToLower(strings.TrimSpace(name))) ||
		strings.Contains(value, "password") || strings.Contains(value, "://")
}

// A connection string can stand anywhere in a --set value, so what looks like a
// secret goes, whatever surrounds it.
var (
	uriPassword   = regexp.MustCompile(`((?:postgres(?:ql)?|rediss?|unix)://[^:@/\s]*):\S*@`)
	namedPassword = regexp.MustCompile(`(?i)(` + strings.Join(secretParameters, "|") + `)(\s*=\s*)('(?:[^'\\]|\\.)*'|[^\s&,}'"]*)`)
)

// Redact drops the passwords from a text that may hold a connection string, such
// as a --set value on its way into a record.
func Redact(text string) string {
	text = uriPassword.ReplaceAllString(text, "$1@")
	return namedPassword.ReplaceAllString(text, "$1$2")
}

// embeddedPassword matches a password inside a connection string.
var embeddedPassword = regexp.MustCompile(`(?i)password\s*=|://[^/@\s]*:[^/@\s]*@`)

// HoldsPassword says whether a text holds a password, as a connection string has it.
func HoldsPassword(text string) bool { return embeddedPassword.MatchString(text) }
