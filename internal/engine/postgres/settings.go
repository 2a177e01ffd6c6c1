package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"

	"plinth/internal/engine/postgres/install"
	"plinth/internal/experiment"
	"plinth/internal/experiment/check"
	"plinth/internal/hint"
	"plinth/internal/host/launch"
)

// settingsFile is plinth's own configuration file in the data directory; initdb's file includes
// it at its end.
const settingsFile = "plinth.conf"

// normalised spells names as pg_settings does: in lower case, because names ignore case. Names in
// old spellings are left as they are.
func normalised(settings map[string]string) map[string]string {
	result := make(map[string]string, len(settings))
	for name, value := range settings {
		result[strings.ToLower(name)] = value
	}
	return result
}

// settingsText returns a configuration file with the given settings, whose names checkSettings
// has accepted (in Probe, for a server that shares its data).
func settingsText(settings map[string]string) string {
	var text strings.Builder
	text.WriteString("# written by plinth\n")
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		// https://www.postgresql.org/docs/current/config-setting.html
		quoted := strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(settings[name])
		fmt.Fprintf(&text, "%s = '%s'\n", name, quoted)
	}
	return text.String()
}

// accepted holds the settings that server programs have accepted: a search asks for the same ones many times.
var accepted sync.Map // by version, path and arguments

// checkSettings asks the server program whether it accepts the settings. Errors that need more
// than parsing show only at the start. The settings are passed as arguments: files would have to
// be journaled, and no journal exists yet.
func checkSettings(ctx context.Context, launcher launch.Launcher, programs install.Programs, settings map[string]string) error {
	// -C comes first: root may run the program only that way.
	args := []string{"-C", "max_connections", "-c", "config_file=" + os.DevNull, "-c", "data_directory=" + os.DevNull,
		"-c", "hba_file=" + os.DevNull, "-c", "ident_file=" + os.DevNull}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if err := check.Setting(experiment.EnginePostgres, name, settings[name]); err != nil {
			return err
		}
		args = append(args, "-c", name+"="+settings[name])
	}
	asked := strings.Join(append([]string{programs.VersionText, programs.Postgres}, args...), "\x00")
	if _, yes := accepted.Load(asked); yes {
		return nil
	}
	log := newServerLog()
	err := install.Run(ctx, launcher, launch.Command{Path: programs.Postgres, Args: args, Env: install.Env(), Stderr: log})
	if err != nil {
		return settingError(launcher, programs, log.Said(), err)
	}
	accepted.Store(asked, true)
	return nil
}

var (
	unknownSetting = regexp.MustCompile(`unrecognized configuration parameter "([^"]*)"`)
	inOwnFile      = regexp.MustCompile(` in file "[^"]*" line \d+`)
)

// settingError returns the server's own message about a setting that it rejects.
func settingError(launcher launch.Launcher, programs install.Programs, t trouble, err error) error {
	words := t.config
	if words == "" {
		words = strings.TrimPrefix(t.fatal, "FATAL: ")
	}
	if words == "" {
		return fmt.Errorf("cannot check the settings: %w", err)
	}
	err = errors.New("PostgreSQL rejects a setting: " + inOwnFile.ReplaceAllString(words, ""))
	match := unknownSetting.FindStringSubmatch(words)
	if match == nil {
		return err
	}
	var names []string
	if table, err := install.Output(launcher, programs.Postgres, "--describe-config"); err == nil {
		for line := range strings.Lines(table) {
			name, _, _ := strings.Cut(line, "\t")
			names = append(names, name)
		}
	}
	if near := hint.Nearest(match[1], names); near != "" {
		return hint.Wrap(err, "did you mean "+near+"?")
	}
	return hint.Wrap(err, fmt.Sprintf("PostgreSQL %d has no setting of this name", programs.Version))
}
