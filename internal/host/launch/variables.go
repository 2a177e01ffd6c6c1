package launch

import (
	"os"
	"slices"
	"strings"
)

// Variables describes the environment of a program as changes to that of its parent. They
// concern a server and its secrets, not the machine.
type Variables struct {
	Without []string // prefixes of names that are left out
	Set     []string // NAME=value, overrides what exists
}

// inherited are the variables of plinth that a program gets if it runs as another user. Others may be
// secrets of plinth's user, such as AWS_SECRET_ACCESS_KEY: all processes of the program's user can read
// its environment.
var inherited = []string{"PATH", "TMPDIR", "TZ", "LD_LIBRARY_PATH", "LC_ALL"}

// ofUser returns the environment of a program that runs as another user: what was set for it, and of
// plinth's own variables only the inherited ones.
func ofUser(env, own []string, user User) []string {
	kept := slices.DeleteFunc(slices.Clone(env), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains(own, variable) && !slices.Contains(inherited, name)
	})
	return append(kept, "HOME="+user.Home, "USER="+user.Name, "LOGNAME="+user.Name)
}

// Environ returns the whole environment on this machine, in the locale that plinth reads.
func (v Variables) Environ() []string {
	without := append([]string{"LC_", "LANG"}, v.Without...)
	env := slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return slices.ContainsFunc(without, func(prefix string) bool { return strings.HasPrefix(variable, prefix) })
	})
	return append(append(env, "LC_ALL=C"), v.Set...)
}
