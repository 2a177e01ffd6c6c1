package experiment

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// ownSettings is the settings that plinth needs for itself, with the reason.
var ownSettings = map[string]string{
	"data_directory": whereItIs, "config_file": whereItIs, "hba_file": whereItIs, "ident_file": whereItIs,
	"external_pid_file": whereItIs, "include": whereItIs, "include_dir": whereItIs, "include_if_exists": whereItIs,

	"listen_addresses": howReached, "port": howReached, "unix_socket_directories": howReached,
	"unix_socket_group": howReached, "unix_socket_permissions": howReached,

	"log_destination": whatItSays, "logging_collector": whatItSays, "log_directory": whatItSays, "log_filename": whatItSays,
}

const (
	whereItIs  = "where a server keeps its files is plinth's to say; storage names the directories"
	howReached = "a server of plinth's own is reached through a private socket, so that nobody else uses it"
	whatItSays = "plinth reads the server's messages to say why something failed"
)

// settingName is a setting's name, or an extension's with a dot.
var settingName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_$]*(\.[A-Za-z_][A-Za-z0-9_$]*)*$`)

func (c *checker) settings() {
	c.settingsIn(&c.e.Settings, "settings")
	for i := range c.e.Environments {
		env := &c.e.Environments[i]
		c.settingsIn(&env.Settings, "environments."+quoteless(env.Name)+".settings")
	}
}

func (c *checker) settingsIn(settings *map[string]string, where string) {
	spelled := map[string]bool{}
	for _, name := range c.inFileOrder(settings) {
		value := (*settings)[name]
		place := c.places[settingPlace{settings, name}]
		lower := strings.ToLower(name)
		switch reason, own := ownSettings[lower]; {
		case !settingName.MatchString(name):
			c.add(place, "", "%s: %s can't be the name of a setting", where, quote(name))
		case own:
			c.add(place, reason, "%s: %s is set by plinth itself", where, name)
		case spelled[lower]:
			c.add(place, "", "%s: %s is there twice; case does not count", where, lower)
		case hasControl(value):
			c.add(place, "", "%s.%s: a line break or control character in the value", where, name)
		case holdsPassword(name, value):
			c.add(place, "leave it out", "%s.%s holds a password, and settings are recorded", where, name)
		}
		spelled[lower] = true
	}
}

// inFileOrder is the names of settings as they stand in the file.
func (c *checker) inFileOrder(settings *map[string]string) []string {
	return slices.SortedFunc(maps.Keys(*settings), func(a, b string) int {
		lines := cmp.Compare(c.places[settingPlace{settings, a}].Line, c.places[settingPlace{settings, b}].Line)
		return cmp.Or(lines, strings.Compare(a, b))
	})
}

// embeddedPassword matches a password inside a connection string.
var embeddedPassword = regexp.MustCompile(`(?i)password\s*=|://[^/@\s]*:[^/@\s]*@`)

func holdsPassword(name, value string) bool {
	return embeddedPassword.MatchString(value) ||
		strings.HasSuffix(strings.ToLower(name), "password") && value != ""
}
