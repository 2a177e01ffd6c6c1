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

// Environ returns the whole environment on this machine, in the locale that plinth reads.
func (v Variables) Environ() []string {
	without := append([]string{"LC_", "LANG"}, v.Without...)
	env := slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return slices.ContainsFunc(without, func(prefix string) bool { return strings.HasPrefix(variable, prefix) })
	})
	return append(append(env, "LC_ALL=C"), v.Set...)
}
