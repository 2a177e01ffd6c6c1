package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"plinth/internal/hint"
	"plinth/internal/host"
)

// settingsFile is plinth's own configuration file in the data directory; initdb's
// includes it at its end.
const settingsFile = "plinth.conf"

var settingName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_$]*(\.[A-Za-z_][A-Za-z0-9_$]*)*$`)

// reserved are the settings by which plinth keeps a server of its own apart from
// all others, and can read what it says.
var reserved = []string{
	"cluster_name", "config_file", "data_directory", "external_pid_file", "hba_file", "ident_file",
	"include", "include_dir", "include_if_exists", "lc_messages", "listen_addresses", "port",
	"unix_socket_directories", "unix_socket_group", "unix_socket_permissions",
}

// normalised spells the names as pg_settings does: they have no case, and those
// that are still written in an old way are none of plinth's concern.
func normalised(settings map[string]string) map[string]string {
	result := make(map[string]string, len(settings))
	for name, value := range settings {
		result[strings.ToLower(name)] = value
	}
	return result
}

// settingsText is the content of a configuration file with the given settings.
func settingsText(settings map[string]string) (string, error) {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		value := settings[name]
		switch {
		case !settingName.MatchString(name):
			return "", fmt.Errorf("%q is not the name of a setting", name)
		case strings.ContainsAny(value, "\x00\r\n"):
			return "", fmt.Errorf("the value of %s has more than one line", name)
		}
		// https://www.postgresql.org/docs/current/config-setting.html
		quoted := strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(value)
		fmt.Fprintf(&text, "%s = '%s'\n", name, quoted)
	}
	return text.String(), nil
}

// checkSettings asks the server program itself whether it accepts the settings,
// without a data directory, and returns the value of one of them in its own
// unit. What needs more than reading the file shows only at the start.
func checkSettings(ctx context.Context, launcher host.Launcher, programs Programs, settings map[string]string, ask string) (string, error) {
	for _, name := range reserved {
		if _, found := settings[name]; found {
			return "", fmt.Errorf("setting %s is plinth's own to set", name)
		}
	}
	text, err := settingsText(settings)
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "plinth-settings-")
	if err != nil {
		return "", fmt.Errorf("cannot check the settings: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for name, content := range map[string]string{"postgresql.conf": text, "postgresql.auto.conf": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			return "", fmt.Errorf("cannot check the settings: %w", err)
		}
	}
	var out strings.Builder
	log := newServerLog()
	err = run(ctx, launcher, host.Command{
		// -C comes first: only so may root ask.
		Path: programs.Postgres, Args: []string{"-C", ask, "-D", dir},
		Env: programEnv(), Stdout: &out, Stderr: log,
	})
	if err != nil {
		return "", settingError(launcher, programs, log.troubles(), err)
	}
	return strings.TrimSpace(out.String()), nil
}

var (
	unknownSetting = regexp.MustCompile(`unrecognized configuration parameter "([^"]*)"`)
	inOwnFile      = regexp.MustCompile(` in file "[^"]*" line \d+`)
)

// settingError is the server's own word on a setting that it does not accept.
func settingError(launcher host.Launcher, programs Programs, t trouble, err error) error {
	words := t.config
	if words == "" {
		words = t.fatal
	}
	if words == "" {
		return fmt.Errorf("cannot check the settings: %w", err)
	}
	err = errors.New("PostgreSQL refuses a setting: " + inOwnFile.ReplaceAllString(words, ""))
	match := unknownSetting.FindStringSubmatch(words)
	if match == nil {
		return err
	}
	if near := hint.Nearest(match[1], settingNames(launcher, programs)); near != "" {
		return hint.Wrap(err, "did you mean "+near+"?")
	}
	return hint.Wrap(err, fmt.Sprintf("PostgreSQL %d has no setting of this name", programs.Version))
}

// settingNames are the names of the settings that the server program knows.
func settingNames(launcher host.Launcher, programs Programs) []string {
	table, err := output(launcher, programs.Postgres, "--describe-config")
	if err != nil {
		return nil
	}
	var names []string
	for line := range strings.Lines(table) {
		name, _, _ := strings.Cut(line, "\t")
		names = append(names, name)
	}
	return names
}
