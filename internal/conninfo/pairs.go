package conninfo

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"plinth/internal/hint"
	"plinth/internal/strictyaml"
)

// Parameters is a parsed connection string: names and values, in order. If a name occurs twice, the
// later value applies.
type Parameters []Parameter

// Parameter is one of libpq's connection parameters.
type Parameter struct{ Name, Value string }

// Get returns the value of a parameter, "" if it is absent.
func (p Parameters) Get(name string) (value string) {
	for _, one := range p {
		if one.Name == name {
			value = one.Value
		}
	}
	return value
}

// With returns p with one value replaced or added.
func (p Parameters) With(name, value string) Parameters {
	return append(p.Without(name), Parameter{name, value})
}

// Without returns p without the named parameters.
func (p Parameters) Without(names ...string) Parameters {
	var rest Parameters
	for _, one := range p {
		if !slices.Contains(names, one.Name) {
			rest = append(rest, one)
		}
	}
	return rest
}

// String returns p, including secrets, as key=value pairs, quoted where necessary. Without parameters
// it returns a URI that uses all of libpq's defaults, because an empty Conninfo means no connection.
func (p Parameters) String() string {
	words := make([]string, len(p))
	for i, one := range p {
		words[i] = one.Name + "=" + quoteConninfo(one.Value)
	}
	if len(p) == 0 {
		return "postgresql://"
	}
	return strings.Join(words, " ")
}

func quoteConninfo(value string) string {
	if value != "" && !strings.ContainsAny(value, blanks+`'\`) {
		return value
	}
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(value) + "'"
}

var errConninfo = errors.New(`is neither a URI such as postgresql://user@host/database nor key=value pairs`)

const blanks = " \t\n\r\f\v"

// parsePairs parses key=value pairs like libpq's conninfo_parse: blanks around the equals sign are
// allowed, a value may be in single quotes, and a backslash escapes the next character.
func parsePairs(text string) (Parameters, error) {
	var pairs Parameters
	for text = strings.TrimLeft(text, blanks); text != ""; text = strings.TrimLeft(text, blanks) {
		key, rest, found := strings.Cut(text, "=")
		key = strings.TrimRight(key, blanks)
		if !found || strings.Trim(key, "abcdefghijklmnopqrstuvwxyz_") != "" || key == "" {
			return nil, errConninfo
		}
		value, rest, closed := conninfoValue(strings.TrimLeft(rest, blanks))
		if !closed {
			return nil, errors.New("has a quote that is never closed")
		}
		pairs = append(pairs, Parameter{key, value})
		text = rest
	}
	if pairs == nil {
		return nil, errConninfo
	}
	return pairs, nil
}

// conninfoValue parses one value and returns the rest of the text; closed is false if a quote is
// missing.
func conninfoValue(text string) (value, rest string, closed bool) {
	quoted := strings.HasPrefix(text, "'")
	text = strings.TrimPrefix(text, "'")
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			i++
			b.WriteByte(text[i])
		case quoted && c == '\'':
			return b.String(), text[i+1:], true
		case !quoted && strings.IndexByte(blanks, c) >= 0:
			return b.String(), text[i:], true
		case c != '\\':
			b.WriteByte(c)
		}
	}
	return b.String(), "", !quoted
}

// parameters holds the connection parameters of libpq 13 to 18.
//
// https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-PARAMKEYWORDS
var parameters = strings.Fields(`
	host hostaddr port dbname user password passfile require_auth channel_binding connect_timeout
	client_encoding options application_name fallback_application_name
	keepalives keepalives_idle keepalives_interval keepalives_count tcp_user_timeout replication
	gssencmode sslmode requiressl sslnegotiation sslcompression sslcert sslkey sslkeylogfile sslpassword
	sslcertmode sslrootcert sslcrl sslcrldir sslsni requirepeer
	ssl_min_protocol_version ssl_max_protocol_version min_protocol_version max_protocol_version
	krbsrvname gsslib gssdelegation scram_client_key scram_server_key service servicefile
	target_session_attrs load_balance_hosts oauth_issuer oauth_client_id oauth_client_secret oauth_scope
	authtype tty`)

// unknown returns an error if libpq does not know one of the parameters: a misspelt password would
// otherwise be shown. The error quotes only the name, never the value.
func (p Parameters) unknown() error {
	for _, one := range p {
		if !slices.Contains(parameters, one.Name) {
			return fmt.Errorf("has an unknown parameter %s; %s", strictyaml.Quote(one.Name),
				hint.DidYouMean(one.Name, parameters, "use a libpq parameter such as host, port, user or dbname"))
		}
	}
	return nil
}
