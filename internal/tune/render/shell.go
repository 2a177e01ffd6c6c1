package render

import (
	"fmt"
	"strings"

	"plinth/internal/engine/postgres/setting"
	"plinth/internal/knob"
	"plinth/internal/tune"
)

// isShell reports whether a command can make a change.
func isShell(c tune.Change) bool { return commands(c) != nil }

// commands returns the shell commands that make a change; nil if it takes more than that.
func commands(c tune.Change) []string {
	switch {
	case isSysctl(c):
		return []string{"sysctl -w " + quote(sysctlName(file(c))+"="+c.Then)}
	case isMount(c) && c.Needs != knob.FreshMount:
		return []string{"mount -o " + quote("remount,"+c.Then) + " " + quote(mountPoint(c))}
	case isOf("postgres")(c):
		name := `"` + strings.ReplaceAll(c.Key.Knob, `"`, `""`) + `"`
		var literals []string
		for _, text := range setting.Literals(c.Key.Knob, c.Then) {
			literals = append(literals, "'"+strings.ReplaceAll(text, "'", "''")+"'")
		}
		return []string{"psql -X -v ON_ERROR_STOP=1 -c " + quote("ALTER SYSTEM SET "+name+" = "+strings.Join(literals, ", "))}
	case isOf("redis")(c) && c.Needs != knob.Restart:
		return []string{"redis-cli -e CONFIG SET " + quote(c.Key.Knob) + " " + quote(c.Then)}
	case c.Needs == knob.OpenHeld, c.Layer == knob.Server, c.Layer == knob.Mount:
		return nil
	}
	var all []string
	for _, path := range paths(c) {
		// The shell must expand plinth's pattern, but nothing else in a path.
		before, after, pattern := strings.Cut(path, "[0-9]*")
		if !pattern {
			all = append(all, fmt.Sprintf("put %s %s", quote(c.Then), quote(path)))
			continue
		}
		all = append(all, fmt.Sprintf("put %s %s[0-9]*%s", quote(c.Then), quote(before), quote(after)))
	}
	return all
}

// quote quotes a word for a POSIX shell.
func quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

const put = `
# put VALUE FILE...: one write for each file, as the kernel requires.
put() {
	value=$1
	shift
	for file; do printf '%s' "$value" >"$file"; done
}
`

// shellFiles returns a script for root. It stops at the first command that fails.
func shellFiles(made string, changes []tune.Change) []File {
	var b strings.Builder
	b.WriteString("#!/bin/sh\n" + made + "# Its changes are lost at a reboot. psql and redis-cli find the server as usual.\nset -eu\n" + put)
	reload := false
	for _, c := range changes {
		b.WriteString(why(c) + strings.Join(commands(c), "\n") + "\n")
		reload = reload || isOf("postgres")(c)
	}
	if reload {
		b.WriteString("\npsql -X -v ON_ERROR_STOP=1 -c 'SELECT pg_reload_conf()'\n")
	}
	return []File{{"plinth-tune.sh", b.String()}}
}
