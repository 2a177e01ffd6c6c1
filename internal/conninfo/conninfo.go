// Package conninfo parses the connection strings of existing servers, in the syntax of libpq and
// redis-cli, and prints them without secrets.
package conninfo

import (
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Conninfo is the connection string of an existing server: for PostgreSQL a URI or key=value pairs in
// libpq's syntax, for Redis a URI. It may contain a password, which String, GoString and MarshalText
// omit.
//
// https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING
type Conninfo string

// secretParameters holds libpq's connection parameters that contain a secret.
var secretParameters = []string{
	"password", "sslpassword", "oauth_client_secret", "scram_client_key", "scram_server_key",
}

// SecretParameter reports whether a connection parameter contains a secret.
func SecretParameter(name string) bool { return slices.Contains(secretParameters, name) }

// Secret returns the whole string, including the password. Use it only to connect.
func (c Conninfo) Secret() string { return string(c) }

// String returns c without its secrets. It does not show any part of an invalid string, because the
// position of the password in it is unknown.
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

// GoString returns String, so that %#v does not show secrets.
func (c Conninfo) GoString() string { return c.String() }

// MarshalText returns String.
func (c Conninfo) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Parameters parses c, including secrets. The error describes the mistake ("has a quote ...") without
// quoting any part of c, because the position of the password in it is unknown.
func (c Conninfo) Parameters() (Parameters, error) {
	if strings.ContainsRune(string(c), 0) {
		return nil, errors.New("has a NUL byte")
	}
	if body, isURI := c.uriBody(); isURI {
		return parseURI(body)
	}
	return parsePairs(string(c))
}

// Check returns an error if c is invalid; the error quotes at most the name of a parameter. Check
// refuses ambiguous strings that libpq accepts, because part of a password could be taken for a host
// name.
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

// publicURI removes the password and secret parameters from body, a URI without its scheme.
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

// isSecret reports whether a parameter contains a secret: by its name, or because its value is itself
// a connection string, as dbname can be.
func isSecret(name, value string) bool {
	value = strings.ToLower(value)
	return SecretParameter(strings.ToLower(strings.TrimSpace(name))) ||
		strings.Contains(value, "password") || strings.Contains(value, "://")
}

// A connection string can be anywhere in a --set value, so these match secrets in any context.
var (
	uriPassword   = regexp.MustCompile(`((?:postgres(?:ql)?|rediss?|unix)://[^:@/\s]*):\S*@`)
	namedPassword = regexp.MustCompile(`(?i)(` + strings.Join(secretParameters, "|") + `)(\s*=\s*)('(?:[^'\\]|\\.)*'|[^\s&,}'"]*)`)
)

// Redact removes passwords from a text that may contain a connection string, such as a --set value
// that is to be recorded.
func Redact(text string) string {
	text = uriPassword.ReplaceAllString(text, "$1@")
	return namedPassword.ReplaceAllString(text, "$1$2")
}

// embeddedPassword matches a password inside a connection string.
var embeddedPassword = regexp.MustCompile(`(?i)password\s*=|://[^/@\s]*:[^/@\s]*@`)

// HoldsPassword reports whether a text contains a password in the form used by connection strings.
func HoldsPassword(text string) bool { return embeddedPassword.MatchString(text) }
