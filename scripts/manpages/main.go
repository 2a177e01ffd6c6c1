// Manpages writes a man page of each command and the completions of each shell into a directory:
// manpages DIR VERSION TIME, where TIME (seconds since 1970) is the date on the pages.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra/doc"

	"plinth/internal/cli"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: manpages DIR VERSION TIME")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(dir, version, at string) error {
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return fmt.Errorf("cannot read the time: %w", err)
	}
	man, completion := filepath.Join(dir, "man"), filepath.Join(dir, "completion")
	for _, d := range []string{man, completion} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	root := cli.Commands(version)
	root.DisableAutoGenTag = true // it has the time of the build
	date := time.Unix(seconds, 0).UTC()
	if err := doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "plinth " + version, Manual: "plinth", Date: &date}, man); err != nil {
		return err
	}
	if err := root.GenBashCompletionFileV2(filepath.Join(completion, "plinth.bash"), true); err != nil {
		return err
	}
	if err := root.GenZshCompletionFile(filepath.Join(completion, "plinth.zsh")); err != nil {
		return err
	}
	return root.GenFishCompletionFile(filepath.Join(completion, "plinth.fish"), true)
}
