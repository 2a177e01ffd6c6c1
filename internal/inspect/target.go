package inspect

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"plinth/internal/conninfo"
	"plinth/internal/hint"
)

// Target is what is to be inspected: a server, or a directory in which data lies
// or is going to.
type Target struct {
	Server conninfo.Conninfo
	Dir    string // absolute, where there is no server
}

// String is the target without its secrets.
func (t Target) String() string {
	if t.Server != "" {
		return t.Server.String()
	}
	return t.Dir
}

const targetHint = "name a directory, or a connection string such as postgresql://user@host/database or redis://host:6379"

// schemes are those of connection strings.
var schemes = []string{"postgresql", "postgres", "redis", "rediss", "unix"}

// ParseTarget understands a directory, both kinds of libpq's connection strings, URIs
// of Redis, and the path of a Redis' socket. What there is as a directory is one, even
// if it has an equals sign in it.
func ParseTarget(text string) (Target, error) {
	if slices.Contains(schemes, schemeOf(text)) {
		return Target{Server: conninfo.Conninfo(text)}, nil
	}
	if text == "" {
		return Target{}, hint.Errorf(targetHint+"; without any, this machine and the current directory are inspected", "the target is empty")
	}
	info, err := os.Stat(text)
	switch {
	case err == nil && info.IsDir():
		dir, err := filepath.Abs(text)
		return Target{Dir: dir}, err
	case err == nil && info.Mode().Type() == fs.ModeSocket:
		return socketTarget(text)
	case err == nil:
		return Target{}, hint.Errorf(targetHint, "%s is not a directory", text)
	case schemeOf(text) != "":
		return Target{}, hint.Errorf(hint.DidYouMean(schemeOf(text), schemes, "write postgresql://user@host/database or redis://host:6379"),
			"%s:// does not begin a connection string", schemeOf(text))
	case strings.Contains(text, "=") && !strings.ContainsAny(text[:1], "/."):
		return Target{Server: conninfo.Conninfo(text)}, nil
	case errors.Is(err, fs.ErrNotExist):
		return Target{}, hint.Errorf(targetHint, "there is no directory %s", text)
	}
	var cause *fs.PathError
	if errors.As(err, &cause) {
		err = cause.Err
	}
	return Target{}, fmt.Errorf("cannot look at the directory %s: %w", text, err)
}

// socketTarget is a server by its socket. PostgreSQL's have names of their own, and
// are named by their directory.
func socketTarget(path string) (Target, error) {
	path, err := filepath.Abs(path)
	if dir, name := filepath.Split(path); strings.HasPrefix(name, ".s.PGSQL.") {
		return Target{}, hint.Errorf("name its directory: host="+filepath.Clean(dir), "%s is a socket of PostgreSQL", path)
	}
	uri := url.URL{Scheme: "unix", Path: path}
	return Target{Server: conninfo.Conninfo(uri.String())}, err
}

// schemeOf is what stands before :// in text, where that can be the scheme of a
// URI.
func schemeOf(text string) string {
	scheme, _, found := strings.Cut(text, "://")
	if !found || strings.Trim(scheme, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+") != "" {
		return ""
	}
	return scheme
}
