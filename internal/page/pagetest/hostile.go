package pagetest

import (
	"encoding/json"
	"fmt"
	"strings"

	"plinth/internal/record"
)

// Hostile are the texts that stand wherever a record holds a text. A page that lets
// one of them run has window.__hacked set.
var Hostile = []string{
	`<script>window.__hacked=1;alert(1)</script>`,
	`</script><script>window.__hacked=1</script>`,
	`"><img src=x onerror="window.__hacked=1">`,
	`' onmouseover='window.__hacked=1' x='`,
	`<!--<script>`,
	`]]>{{.}}${window.__hacked=1}javascript:window.__hacked=1`,
	"first line\nsecond line\r\n\x1b[31mred",
	"right to left \u202Egnp.exe",
	`=cmd|'/c calc'!A1`,
	strings.Repeat("<b>ten thousand</b> ", 540),
}

// hostile is the n-th of them, round and round.
func hostile(n int) string { return Hostile[n%len(Hostile)] }

// hostileFile has what an experiment file lets pass.
func hostileFile() string {
	quoted, _ := json.Marshal(hostile(0) + hostile(2) + hostile(7)) // is YAML as well
	script, _ := json.Marshal("SELECT 1; -- " + hostile(1) + hostile(3) + hostile(4))
	setting, _ := json.Marshal(hostile(2))
	return fmt.Sprintf("question: %s\nseed: 7\nduration: 5s\nwarmup: 1s\nworkloads: [{name: own, scripts: [{name: a, sql: %s}]}]\nclients: [4]\nrepeats: 6\n"+
		"settings: {application_name: %s}\nenvironments: {disk: {}, memory: {settings: {log_line_prefix: %s}}}\n", quoted, script, setting, setting)
}

// hostileRun puts them where a run holds a text.
func hostileRun(run *record.Run) {
	n := run.Number
	note := record.Note{Rule: hostile(n), Text: hostile(n), Hint: hostile(n + 1)}
	run.Warnings = []record.Note{note}
	if run.Repeat == 3 {
		run.Status, run.Reasons = record.Invalid, []record.Note{note}
	}
	run.Driver.Program, run.Driver.Version = hostile(n+2), hostile(n+3)
	run.Driver.Command = Hostile
	run.Result.Statements = []record.StatementMean{{Script: hostile(n), Statement: hostile(n + 1), Mean: 1e6}}
	run.Resources = []record.Resource{{Name: hostile(n), Unit: hostile(n + 1), Mean: 1, Peak: 2, From: hostile(n + 2)}}
	run.Telemetry.Marks = nil
	for i, text := range Hostile {
		run.Telemetry.Marks = append(run.Telemetry.Marks, record.Mark{Second: float64(i) / 2, Kind: "log", Text: text}, record.Mark{Second: float64(i) / 2, Kind: text})
	}
	run.Telemetry.Gaps = append(run.Telemetry.Gaps, record.TelemetryGap{Columns: Hostile[:4], From: 1, To: 2, Why: hostile(n)})
}

// hostileEdit puts them where plinth would not: into the names in record.json and
// the texts of an environment.
func hostileEdit(dir string) error {
	err := edit(dir, "record.json", func(object map[string]any) {
		for i, key := range []string{"name", "plinth", "source", "directory", "reason"} {
			object[key] = hostile(i)
		}
		object["command"], object["sets"] = Hostile, Hostile
		object["machine"] = map[string]any{"os": hostile(0), "kernel": hostile(1), "cpu_model": hostile(2), "arch": hostile(3)}
		notes := []any{}
		for i := range Hostile {
			notes = append(notes, map[string]any{"rule": hostile(i), "text": hostile(i), "hint": hostile(i + 1), "environment": hostile(i + 2)})
		}
		object["warnings"] = notes
	})
	if err != nil {
		return err
	}
	return edit(dir, "environments/memory.json", func(object map[string]any) {
		for i, key := range []string{"kind", "server", "version", "transport", "generator", "address", "label"} {
			object[key] = hostile(i)
		}
		settings := map[string]any{}
		for i, text := range Hostile {
			settings["setting_"+fmt.Sprint(i)], settings[text] = text, "on"
		}
		object["settings"], object["facts"] = settings, settings
		object["volumes"] = []any{map[string]any{"role": hostile(0), "path": hostile(1), "filesystem": hostile(2), "options": hostile(3), "source": hostile(4)}}
	})
}
