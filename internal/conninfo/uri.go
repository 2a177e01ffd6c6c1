package conninfo

import (
	"errors"
	"net/url"
	"strings"
)

// uriReader parses the body of a connection URI:
// [user[:password]@][host[:port][,...]][/dbname][?name=value[&...]].
type uriReader struct {
	found Parameters
	err   error
}

func parseURI(body string) (Parameters, error) {
	var r uriReader
	// As in libpq, the first '@' before any '/' ends the user and password, so a password may
	// contain a '?'.
	if at := strings.IndexAny(body, "@/"); at >= 0 && body[at] == '@' {
		user, password, _ := strings.Cut(body[:at], ":")
		r.part("user", user)
		r.part("password", password)
		body = body[at+1:]
	}
	body, query, _ := strings.Cut(body, "?")
	authority, database, _ := strings.Cut(body, "/")
	hosts, ports := r.hosts(authority)
	r.part("host", hosts)
	r.part("port", ports)
	r.part("dbname", database)
	for parameter := range strings.SplitSeq(query, "&") {
		if parameter != "" {
			r.parameter(parameter)
		}
	}
	return r.found, r.err
}

// part adds a parameter from a fixed position of the URI; an empty one is absent.
func (r *uriReader) part(name, encoded string) {
	if encoded != "" {
		r.add(name, r.decoded(encoded))
	}
}

func (r *uriReader) parameter(text string) {
	name, value, found := strings.Cut(text, "=")
	name, value = r.decoded(name), r.decoded(value)
	switch {
	case !found:
		r.fail("has a parameter without a value")
	case name == "" || strings.ContainsAny(name, blanks+`='\`):
		r.fail("has a parameter with an invalid name")
	case name == "ssl" && value == "true": // as JDBC writes it
		r.add("sslmode", "require")
	default:
		r.add(name, value)
	}
}

// hosts splits a list of hosts and ports into two lists. IPv6 addresses are in brackets.
func (r *uriReader) hosts(list string) (hosts, ports string) {
	var hostList, portList []string
	for one := range strings.SplitSeq(list, ",") {
		host, port, _ := strings.Cut(one, ":")
		if rest, bracket := strings.CutPrefix(one, "["); bracket {
			address, tail, closed := strings.Cut(rest, "]")
			if !closed {
				r.fail("has a [ that is never closed")
			}
			host, port = address, strings.TrimPrefix(tail, ":")
		}
		hostList, portList = append(hostList, host), append(portList, port)
	}
	if ports = strings.Join(portList, ","); strings.Trim(ports, ",") == "" {
		ports = ""
	}
	return strings.Join(hostList, ","), ports
}

func (r *uriReader) decoded(text string) string {
	decoded, err := url.PathUnescape(text)
	if err != nil {
		r.fail("has a % that is not followed by two hexadecimal digits; write % as %25")
	}
	if strings.ContainsRune(decoded, 0) {
		r.fail("has a NUL byte")
	}
	return decoded
}

func (r *uriReader) add(name, value string) {
	r.found = append(r.found, Parameter{name, value})
}

func (r *uriReader) fail(text string) {
	if r.err == nil {
		r.err = errors.New(text)
	}
}
