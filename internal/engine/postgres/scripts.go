package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"plinth/internal/engine"
	"plinth/internal/engine/life"
	"plinth/internal/engine/postgres/install"
	"plinth/internal/experiment"
	"plinth/internal/host/launch"
)

// CheckScripts runs each of the user's scripts once, after the load, to find SQL errors before
// anything is measured. The error is in the server's words. What a script writes stays in the
// dataset.
func (d *database) CheckScripts(ctx context.Context) error {
	for _, workload := range d.Experiment.Workloads {
		for _, script := range workload.Scripts {
			if script.Builtin != "" {
				continue
			}
			if err := d.try(ctx, workload, script); err != nil {
				return fmt.Errorf("workload %s, script %s: %w", workload.Name, script.Name, err)
			}
		}
	}
	return nil
}

// try runs one transaction of one script.
func (d *database) try(ctx context.Context, workload experiment.Workload, script experiment.Script) error {
	path := filepath.Join(d.Scratch, "script.sql")
	if err := os.WriteFile(path, []byte(script.SQL), 0o600); err != nil {
		return fmt.Errorf("cannot write the script for pgbench: %w", err)
	}
	defer func() { _ = os.Remove(path) }() // else it goes with its directory
	args := []string{"-n", "-c", "1", "-j", "1", "-t", "1", "-f", path}
	if d.Experiment.Protocol != "" {
		args = append(args, "-M", d.Experiment.Protocol)
	}
	if d.Experiment.Dataset.Scale > 0 {
		args = append(args, "-s", strconv.Itoa(d.Experiment.Dataset.Scale))
	}
	for name, value := range workload.Variables {
		args = append(args, "-D", name+"="+value)
	}
	var said []string
	lines := &life.Lines{Line: func(line string) { said = append(said, line) }}
	err := install.Run(ctx, d.Launcher, launch.Command{
		Path: d.Pgbench, Args: append(args, d.target.Conninfo), Env: d.env.Environ(), Stderr: lines,
	})
	lines.End()
	if err == nil || ctx.Err() != nil {
		return err
	}
	return scriptError(said, path, err)
}

var (
	pgbenchPrefix  = regexp.MustCompile(`^pgbench: (error|fatal): (client \d+ (script \d+ )?aborted in command \d+( \([^)]*\))?( query \d+| of script \d+)?[:;] )?`)
	pgbenchSummary = regexp.MustCompile(`^pgbench: (error: Run was aborted|hint|detail)`)
)

// scriptError returns the server's error as pgbench passed it on, or pgbench's own about a script
// that it can't parse.
func scriptError(said []string, path string, otherwise error) error {
	var words []string
	for _, line := range said {
		isError := pgbenchPrefix.MatchString(line)
		switch {
		case pgbenchSummary.MatchString(line):
		case isError && len(words) == 0:
			line = pgbenchPrefix.ReplaceAllString(line, "")
			line = strings.ReplaceAll(line, path+":", "line ")
			line = strings.ReplaceAll(line, ` for script "`+path+`"`, "")
			words = append(words, strings.Replace(line, "ERROR:  ", "ERROR: ", 1))
		case !isError && len(words) > 0:
			words = append(words, line) // LINE, DETAIL, HINT
		}
	}
	if len(words) == 0 {
		return otherwise
	}
	return &engine.MistakeError{Err: errors.New(strings.TrimSpace(strings.Join(words, "\n")))}
}
