package launch

import (
	"os"
	"slices"
	"strings"
)

// Variables are the environment of a program, as changes to that of the process that starts
// it: what leads to a server and its secrets, apart from what belongs to a machine.
type Variables struct {
	Without []string // names that begin so are left out
	Set     []string // NAME=value, over those that are there
}

// Environ is the whole environment on this machine, in the language that plinth reads.
func (v Variables) Environ() []string {
	without := append([]string{"LC_", "LANG"}, v.Without...)
	env := slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return slices.ContainsFunc(without, func(prefix string) bool { return strings.HasPrefix(variable, prefix) })
	})
	return append(append(env, "LC_ALL=C"), v.Set...)
}
