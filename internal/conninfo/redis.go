package conninfo

import (
	"errors"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// RedisAddress is the address of an existing Redis server.
type RedisAddress struct {
	Network  string // "tcp" or "unix"
	Address  string // host:port, or the path of a socket
	User     string // of an ACL; "" for the default user
	Password string // "" for none
	DB       int    // number of the database
	TLS      bool
	CACert   string // file of trusted certificates; "" for the system's
}

// redisSchemes holds the schemes of Redis connection URIs, from redis-cli -u and go-redis; unix:// is
// only known to the latter.
//
// https://www.iana.org/assignments/uri-schemes/prov/redis
var redisSchemes = []string{"redis://", "rediss://", "unix://"}

// Engine returns the engine of c, according to its scheme: "redis" or "postgres".
func (c Conninfo) Engine() string {
	for _, scheme := range redisSchemes {
		if strings.HasPrefix(string(c), scheme) {
			return "redis"
		}
	}
	return "postgres"
}

// Redis parses a Redis URI: redis://[[user]:password@]host[:port][/db], rediss:// with TLS
// (?cacert=FILE), unix:///path?db=0. The error describes the mistake without quoting any part of the
// URI.
func (c Conninfo) Redis() (RedisAddress, error) {
	u, err := url.Parse(string(c))
	if err != nil || c.Engine() != "redis" {
		return RedisAddress{}, errors.New("is not a valid URI; write redis://user@host:6379/0, with @ and / in a password as %40 and %2F")
	}
	a := RedisAddress{Network: "tcp", TLS: u.Scheme == "rediss"}
	a.User = u.User.Username()
	a.Password, _ = u.User.Password()
	query, db := u.Query(), strings.Trim(u.Path, "/")
	if u.Scheme == "unix" {
		a.Network, a.Address, db = "unix", u.Path, query.Get("db")
	} else {
		a.Address = net.JoinHostPort(orElse(u.Hostname(), "localhost"), orElse(u.Port(), "6379"))
	}
	for name := range query {
		switch {
		case name == "cacert" && a.TLS:
			a.CACert = query.Get(name)
		case name == "db" && a.Network == "unix":
		default:
			return RedisAddress{}, errors.New("has an unsupported parameter; rediss:// supports cacert, unix:// supports db")
		}
	}
	if a.DB, err = strconv.Atoi(orElse(db, "0")); err != nil || a.DB < 0 {
		return RedisAddress{}, errors.New("has an invalid database number; write it as redis://host:6379/0")
	}
	if a.Network == "unix" && (a.Address == "" || u.Host != "") {
		return RedisAddress{}, errors.New("has no socket path; write it as unix:///run/redis/redis.sock")
	}
	return a, nil
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// String returns the URI without the password.
func (a RedisAddress) String() string {
	u := url.URL{Scheme: "redis", Host: a.Address, Path: "/" + strconv.Itoa(a.DB)}
	query := url.Values{}
	switch {
	case a.Network == "unix":
		u.Scheme, u.Host, u.Path = "unix", "", a.Address
		query.Set("db", strconv.Itoa(a.DB))
	case a.TLS:
		u.Scheme = "rediss"
		if a.CACert != "" {
			query.Set("cacert", a.CACert)
		}
	}
	if a.User != "" {
		u.User = url.User(a.User)
	}
	u.RawQuery = query.Encode()
	return u.String()
}

// GoString returns String, so that %#v does not show the password.
func (a RedisAddress) GoString() string { return a.String() }
