package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSecretsInFiles writes a connection string with a password into every place of an experiment
// file. The password is never printed, whatever is wrong with the file.
func TestSecretsInFiles(t *testing.T) {
	const password, base = "hunter2", "workloads: [select-only]\nduration: 1s\nrepeats: 1\nclients: [1]\ndataset: {scale: 1}\n"
	for place, text := range map[string]string{
		"a key":                         "URI: 5\nenvironments: {a: {}}",
		"a name of an environment":      "environments: {'URI': {}}",
		"a name with a pair":            "environments: {'host=db password=hunter2': {}}",
		"primary_conninfo":              "environments: {a: {settings: {primary_conninfo: 'host=db password=hunter2'}}}",
		"primary_conninfo of all":       "settings: {primary_conninfo: 'URI'}\nenvironments: {a: {}}",
		"archive_command":               "settings: {archive_command: 'PGPASSWORD=hunter2 cp %p x'}\nenvironments: {a: {}}",
		"a misspelt key":                "environments: {a: {conect: 'URI'}}",
		"an unknown key with an anchor": "x: &p 'URI'\nenvironments: {a: {connect: *p}}",
		"an alias":                      "environments: {a: {connect: *URI}}",
		"an anchor":                     "environments: {a: {connect: &hunter2 'URI'}}",
		"a tag":                         "environments: {a: {connect: !URI x}}",
		"an open quote":                 "environments: {a: {connect: 'URI",
		"an open list":                  "environments:\n  a:\n   connect: URI\n  b: [connect: \"URI",
		"a tab":                         "\tURI: x",
		"a number":                      "seed: 'URI'\nenvironments: {a: {}}",
		"storage":                       "environments: {a: {storage: 'URI'}}",
		"a list of environments":        "environments: ['URI']",
		"a script":                      "scripts: {'URI': {sql: SELECT 1}}\nenvironments: {a: {}}",
		"a device":                      "environments: {a: {storage: {data: {emulate: 'URI'}}}}",
		"a directory":                   "environments: {a: {storage: {data: 'URI'}}}",
		"the baseline":                  "baseline: 'URI'\nenvironments: {a: {}}",
		"the name":                      "name: 'URI'\nenvironments: {a: {}}",
		"the question":                  "question: 'How fast is URI?'\nenvironments: {a: {}}",
		"a profile":                     "environments: {a: {tuning: ['URI']}}",
		"an event":                      "events: [{at: 1s, run: ['URI']}]\nenvironments: {a: {}}",
		"two connections":               "environments: {a: {connect: 'URI', storage: {data: .}}}",
		"requirepass":                   "engine: redis\nworkloads: [get]\nsettings: {requirepass: hunter2, masterauth: hunter2}\nenvironments: {a: {}}",
	} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			text = strings.ReplaceAll(text, "URI", "postgresql://u:"+password+"@db/x")
			if !strings.HasPrefix(text, "engine:") {
				text = base + text
			}
			file := filepath.Join(dir, "secret.yaml")
			if err := os.WriteFile(file, []byte(text+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			h := hostile{T: t, store: dir}
			for _, how := range []string{"", "--json", "--commands"} {
				cmd := h.plinth(strings.Fields("run secret.yaml --dry-run " + how)...)
				out, _ := cmd.CombinedOutput() // most are mistakes
				if code := cmd.ProcessState.ExitCode(); strings.Contains(string(out), password) || code < 0 || code > 2 {
					t.Errorf("run --dry-run %s: exit code %d:\n%s", how, code, out)
				}
			}
		})
	}
}
