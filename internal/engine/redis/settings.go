package redis

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/engine"
	"plinth/internal/engine/life"
	"plinth/internal/hint"
	"plinth/internal/host/launch"
	"plinth/internal/unit"
)

// nowhere is what a server says that has read its settings and listens to nobody:
// it ends then, before it has touched any file.
const nowhere = "Configured to not listen anywhere"

// checkSettings asks the server program itself whether it accepts the settings.
// They are given as arguments: files would have to be journaled, and this is asked
// before there is a journal.
func checkSettings(ctx context.Context, launcher launch.Launcher, program Program, settings map[string]string) error {
	directives, err := directivesOf(settings)
	if err != nil {
		return err
	}
	user, err := launch.ServerUser()
	if err != nil {
		return err
	}
	args := []string{"--port", "0"}
	for _, d := range directives {
		args = append(append(args, "--"+d[0]), d[1:]...)
	}
	log := newServerLog()
	status, err := launch.Run(ctx, launcher, launch.Command{
		Path: program.Path, Args: args, Env: environ(), Dir: "/", User: user, Stdout: log, Stderr: log,
	})
	if err != nil {
		return fmt.Errorf("cannot check the settings: %w", err)
	}
	said := log.String()
	if strings.Contains(said, nowhere) {
		return nil
	}
	if refused, found := refusedSetting(said); found {
		return settingError(ctx, launcher, program, user, refused)
	}
	return fmt.Errorf("cannot check the settings: %w", endError(log, status))
}

// refusal is a setting that a server does not take, and why, in its own words.
type refusal struct{ line, words string }

// refusedSetting finds what a server says of its settings when it ends because of
// them. Redis 8 may take a name that it does not know for that of a module's.
func refusedSetting(said string) (refusal, bool) {
	lines := strings.Split(said, "\n")
	for i, text := range lines {
		_, rest, found := strings.Cut(text, ">>> '")
		if !found {
			continue
		}
		r := refusal{line: strings.TrimSuffix(rest, "'")}
		if i+1 < len(lines) {
			r.words = plainLine(lines[i+1])
		}
		return r, true
	}
	return refusal{}, false
}

// settingError says a refusal, with the nearest name where there is none of this one.
func settingError(ctx context.Context, launcher launch.Launcher, program Program, user *launch.User, r refusal) error {
	words, err := splitWords(r.line)
	if err != nil || len(words) == 0 {
		words = []string{r.line}
	}
	refused := fmt.Errorf("%s refuses a setting: %s: %s", program.Title(), strings.Join(words, " "), r.words)
	names := settingNames(ctx, launcher, program, user)
	switch {
	case slices.Contains(names, words[0]) || names == nil:
	case hint.Nearest(words[0], names) != "":
		refused = hint.Wrap(refused, "did you mean "+hint.Nearest(words[0], names)+"?")
	default:
		refused = hint.Wrap(refused, fmt.Sprintf("%s %s has no setting of this name", program.Title(), program.VersionText))
	}
	return &engine.MistakeError{Err: refused}
}

// settingNames are the names of the settings that a server program knows: those of a
// server that lives for a moment, holds nothing and keeps nothing.
func settingNames(ctx context.Context, launcher launch.Launcher, program Program, user *launch.User) []string {
	dir, err := os.MkdirTemp("", "plinth-")
	if err != nil {
		return nil
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if user != nil && os.Chown(dir, user.UID, user.GID) != nil {
		return nil
	}
	socket := filepath.Join(dir, "s")
	process, err := launcher.Start(launch.Command{
		Path: program.Path, Env: environ(), Dir: dir, User: user,
		Args: []string{"--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no"},
	})
	if err != nil {
		return nil
	}
	defer func() { _ = process.Stop() }()
	client := newClient(unixOptions(socket, ""))
	defer func() { _ = client.Close() }()
	var names []string
	_ = life.Poll(ctx, startingLimit, func() bool {
		settings, err := client.ConfigGet(ctx, "*").Result()
		names = slices.Sorted(maps.Keys(settings))
		return err == nil || life.Ended(process)
	})
	return names
}

// notInForce lists the declared settings that a server does not have.
func notInForce(declared, inForce map[string]string) []string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(declared)) {
		value, found := inForce[strings.ToLower(name)]
		switch {
		case !found:
			words = append(words, fmt.Sprintf("%s: it has none of this name", name))
		case !sameValue(strings.ToLower(name), declared[name], value):
			words = append(words, fmt.Sprintf("%s: %s, not %s", name, shown(value), declared[name]))
		}
	}
	return words
}

func shown(value string) string {
	if value == "" {
		return `""`
	}
	return value
}

// sameValue says whether a value in force is the one that was declared, however the
// server spells it. Of a setting in groups it tells all, and those that were not
// declared have their own values.
func sameValue(name, declared, inForce string) bool {
	want, err := valueWords(declared)
	have, other := valueWords(inForce)
	if err != nil || other != nil {
		return declared == inForce
	}
	wanted, had := groupsOf(name, spelled(want)), groupsOf(name, spelled(have))
	if len(wanted) < len(had) && name == "save" { // a list: what is not declared is not there
		return false
	}
	for _, group := range wanted {
		if !slices.ContainsFunc(had, func(one []string) bool { return slices.Equal(one, group) }) {
			return false
		}
	}
	return true
}

// spelled are words in one spelling: sizes in bytes, no capitals, and the older names.
func spelled(words []string) []string {
	all := make([]string, len(words))
	for i, word := range words {
		word = strings.ToLower(word)
		if bytes, err := parseMemory(word); err == nil {
			word = strconv.FormatInt(bytes, 10)
		}
		if newer := renamed[word]; newer != "" {
			word = newer
		}
		all[i] = word
	}
	return all
}

// renamed are words that newer versions spell otherwise.
var renamed = map[string]string{"slave": "replica"}

var errMemory = errors.New("is no size")

// memoryUnits are redis.conf's: 1k is 1000 bytes, 1kb is 1024.
var memoryUnits = map[string]int64{
	"": 1, "b": 1, "k": 1000, "kb": int64(unit.KiB), "m": 1e6, "mb": int64(unit.MiB), "g": 1e9, "gb": int64(unit.GiB),
}

// parseMemory reads a size as redis.conf has it, in bytes.
func parseMemory(text string) (int64, error) {
	digits := text[:len(text)-len(strings.TrimLeft(text, "0123456789"))]
	factor, known := memoryUnits[strings.ToLower(text[len(digits):])]
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || !known || n > (1<<62)/factor {
		return 0, errMemory
	}
	return n * factor, nil
}
