//go:build linux

package redis

import (
	"errors"
	"os"
	"strings"
	"testing"

	"plinth/internal/engine"
	"plinth/internal/experiment"
	"plinth/internal/hint"
)

func TestProbeOfSettings(t *testing.T) {
	for _, program := range testPrograms(t) {
		t.Run(program.Name+"-"+program.VersionText, func(t *testing.T) {
			t.Parallel()
			title := program.Title()
			for _, test := range []struct{ name, value, words, advice string }{
				{"appendonly", "yes", "", ""},
				{"AppendOnly", "yes", "", ""},
				{"save", "3600 1 300 100", "", ""},
				{"save", "", "", ""},
				{"client-output-buffer-limit", "replica 256mb 64mb 60 pubsub 32mb 8mb 60", "", ""},
				{"appendfsync", "everysecond", title + " rejects a setting: appendfsync everysecond: argument", ""},
				{"maxmemory", "1xb", "maxmemory 1xb: argument must be a memory value", ""},
				{"appendfsyncc", "always", title + " rejects a setting: appendfsyncc always: ", "did you mean appendfsync?"},
				{"completely-wrong", "1", "rejects a setting: completely-wrong 1", "has no setting of this name"},
				{"maxclients", `"a`, "the value of maxclients has an unclosed quote", ""},
				{"maxmemory", "1gb --dir /etc", "which begins with --", ""},
				{"dir", "/etc", "dir is set by plinth itself", "the server's files"},
				{"RequirePass", "x", "requirepass is set by plinth itself", "only plinth"},
				{"replicaof", "no one", "replicaof is set by plinth itself", "replica"},
			} {
				err := checkSettings(t.Context(), launcher, program, map[string]string{test.name: test.value})
				if test.words == "" {
					must(t, err)
					continue
				}
				if err == nil || !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(test.words)) || !strings.Contains(hint.Of(err), test.advice) {
					t.Errorf("%s=%s: got %v, hint %q\nwant %q, hint %q", test.name, test.value, err, hint.Of(err), test.words, test.advice)
				}
				var mistake *engine.MistakeError
				if strings.Contains(test.words, "rejects a setting") && !errors.As(err, &mistake) {
					t.Errorf("%s=%s: %v is no mistake of the experiment's", test.name, test.value, err)
				}
			}
		})
	}
}

// TestProbeLeavesNothing checks that Probe leaves no files: no journal may exist yet.
func TestProbeLeavesNothing(t *testing.T) {
	dir := testDir(t)
	t.Setenv("TMPDIR", dir)
	e := smallExperiment()
	e.Settings = map[string]string{"apendonly": "yes"}
	err := Kind{}.Probe(t.Context(), e, experiment.Environment{Name: "here"})
	mustRefuse(t, err, "environment here: ", "did you mean appendonly?")
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// TestStartFails expects the server's own words.
func TestStartFails(t *testing.T) {
	config := ownConfig(t)
	must(t, os.WriteFile(config.Dir(experiment.RoleData)+"/precious", nil, 0o600))
	own := newOwn(t, config, oneInstalled(t))
	mustRefuse(t, own.Start(t.Context()), "is not empty", "an empty directory")

	config = ownConfig(t, "appendonly", "yes")
	own = newOwn(t, config, oneInstalled(t))
	dir := config.Dir(experiment.RoleData)
	must(t, os.WriteFile(dir+"/"+madeFile, nil, 0o600))
	must(t, os.WriteFile(dir+"/appendonlydir", nil, 0o600)) // a file in place of a directory
	err := own.Start(t.Context())
	if err == nil || !strings.Contains(err.Error(), "appendonlydir") {
		t.Errorf("got %v", err)
	}
	if _, err := NewOwn(engine.Config{SocketDir: "/" + strings.Repeat("d", 100)}, oneInstalled(t)); err == nil {
		t.Error("a socket's path of more than 107 bytes is taken")
	}
	_, err = newOwn(t, ownConfig(t), oneInstalled(t)).Recover(t.Context())
	mustRefuse(t, err, "is empty", "")
}
