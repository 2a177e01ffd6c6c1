package inspect

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/hint"
)

// Target is what is to be inspected: a server, or a directory in which data lies
// or is going to.
type Target struct {
	Server experiment.Conninfo
	Dir    string // absolute, where there is no server
}

// String is the target without its secrets.
func (t Target) String() string {
	if t.Server != "" {
		return t.Server.String()
	}
	return t.Dir
}

const targetHint = "name a directory, or a connection string such as postgresql://user@host/database"

// schemes are those of connection strings.
var schemes = []string{"postgresql", "postgres"}

// ParseTarget understands a directory and both kinds of libpq's connection
// strings. What there is as a directory is one, even if it has an equals sign in it.
func ParseTarget(text string) (Target, error) {
	if strings.HasPrefix(text, "postgresql://") || strings.HasPrefix(text, "postgres://") {
		return Target{Server: experiment.Conninfo(text)}, nil
	}
	if text == "" {
		return Target{}, hint.Errorf(targetHint+"; without any, this machine and the current directory are inspected", "the target is empty")
	}
	info, err := os.Stat(text)
	switch {
	case err == nil && info.IsDir():
		dir, err := filepath.Abs(text)
		return Target{Dir: dir}, err
	case err == nil:
		return Target{}, hint.Errorf(targetHint, "%s is not a directory", text)
	case otherScheme(text) != "":
		return Target{}, hint.Errorf(hint.DidYouMean(otherScheme(text), schemes, "write postgresql://user@host/database"),
			"%s:// does not begin a connection string", otherScheme(text))
	case strings.Contains(text, "=") && !strings.ContainsAny(text[:1], "/."):
		return Target{Server: experiment.Conninfo(text)}, nil
	case errors.Is(err, fs.ErrNotExist):
		return Target{}, hint.Errorf(targetHint, "there is no directory %s", text)
	}
	var cause *fs.PathError
	if errors.As(err, &cause) {
		err = cause.Err
	}
	return Target{}, fmt.Errorf("cannot look at the directory %s: %w", text, err)
}

// otherScheme is what stands before :// in text, where that can be the scheme of a
// URI and is none of a server.
func otherScheme(text string) string {
	scheme, _, found := strings.Cut(text, "://")
	if !found || strings.Trim(scheme, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+") != "" {
		return ""
	}
	return scheme
}
