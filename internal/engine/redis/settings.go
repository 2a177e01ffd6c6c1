package redis

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"plinth/internal/engine"
	"plinth/internal/engine/life"
	"plinth/internal/engine/redis/client"
	"plinth/internal/engine/redis/conf"
	"plinth/internal/hint"
	"plinth/internal/host/launch"
)

// nowhere is the message of a server that has read its settings and has no address to listen on:
// it then exits before it has touched any file.
const nowhere = "Configured to not listen anywhere"

// checkSettings asks the server program whether it accepts the settings. They are passed as
// arguments: files would have to be journaled, and no journal exists yet.
func checkSettings(ctx context.Context, launcher launch.Launcher, program Program, settings map[string]string) error {
	directives, err := conf.Directives(settings)
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
		Path: program.Path, Args: args, Env: client.Environ(), Dir: "/", User: user, Stdout: log, Stderr: log,
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

// refusal is a setting that a server rejects, and why, in its own words.
type refusal struct{ line, words string }

// refusedSetting finds what a server says about its settings when it exits because of them. Redis
// 8 may take an unknown name for that of a module's setting.
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

// settingError describes a refusal, and suggests the nearest name if the setting does not exist.
func settingError(ctx context.Context, launcher launch.Launcher, program Program, user *launch.User, r refusal) error {
	words, err := conf.SplitWords(r.line)
	if err != nil || len(words) == 0 {
		words = []string{r.line}
	}
	refused := fmt.Errorf("%s rejects a setting: %s: %s", program.Title(), strings.Join(words, " "), r.words)
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

// settingNames returns the names of the settings that a server program has, from a temporary
// server that holds and persists nothing.
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
		Path: program.Path, Env: client.Environ(), Dir: dir, User: user,
		Args: []string{"--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no"},
	})
	if err != nil {
		return nil
	}
	defer func() { _ = process.Stop() }()
	rdb := client.New(client.UnixOptions(socket, ""))
	defer func() { _ = rdb.Close() }()
	var names []string
	_ = life.Poll(ctx, startingLimit, func() bool {
		settings, err := rdb.ConfigGet(ctx, "*").Result()
		names = slices.Sorted(maps.Keys(settings))
		return err == nil || life.Ended(process)
	})
	return names
}
