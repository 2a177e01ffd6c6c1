package report

import (
	"path/filepath"
	"slices"
	"strings"

	"plinth/internal/prose"
	"plinth/internal/record"
)

// method is how the numbers were made, and how to make them again.
func (f *Full) method(options FullOptions) document {
	s := f.rec.Summary
	d := document{slices.Concat(f.show.methodLines(), switchLines(f.rec.Runs))}
	d.Add(heading("Run it again"))
	if options.Brief {
		d.Add(paragraph("With the experiment.yaml of the record:"))
	} else {
		d.Add(paragraph("Save this as experiment.yaml. Its paths are those of the machine on which it ran."),
			folded{"experiment.yaml, with every default and the seed", document{code(f.rec.ExperimentYAML)}})
	}
	d.Add(command("plinth run experiment.yaml"))
	if len(s.Command) > 0 {
		d.Add(paragraph("It was run as"), command(commandLine(s.Command)))
	}
	d.Add(heading("The record"), list{
		"name: " + f.Record,
		"experiment.yaml: sha256 " + s.Fingerprint,
	})
	if digest, err := record.Digest(f.rec.Path); err == nil {
		d.Add(list{"all of what it holds but points and raw output: sha256 " + digest},
			paragraph("To check that a copy is this record, in its directory:"), command(record.DigestCommand))
	}
	return d
}

// commandLine is a command as it was typed, but for the directory of the program.
func commandLine(words []string) string {
	line := []string{filepath.Base(words[0])}
	for _, word := range words[1:] {
		line = append(line, quote(prose.Clean(word)))
	}
	return strings.Join(line, " ")
}
