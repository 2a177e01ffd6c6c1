package report

import (
	"path/filepath"
	"slices"
	"strings"

	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/environment"
	"plinth/internal/report/phrase"
)

// method describes how the numbers were measured, and how to repeat the experiment.
func (f *Full) method(options FullOptions) prose.Document {
	d := prose.Document{slices.Concat(f.show.MethodLines(), environment.SwitchLines(f.rec.Runs))}
	if f.rec.Import != nil {
		return append(d, f.recordLines("It was imported with")...)
	}
	d.Add(prose.Heading("Run it again"))
	if options.Brief {
		d.Add(prose.Paragraph("With the experiment.yaml of the record:"))
	} else {
		d.Add(prose.Paragraph("Save this as experiment.yaml. Its paths are those of the machine on which it ran."),
			prose.Folded{Title: "experiment.yaml, with every default and the seed", Body: prose.Document{prose.Code(f.rec.ExperimentYAML)}})
	}
	d.Add(prose.Command("plinth run experiment.yaml"))
	return append(d, f.recordLines("It was run as")...)
}

// recordLines identify the record and the command that made it.
func (f *Full) recordLines(made string) prose.Document {
	var d prose.Document
	s := f.rec.Summary
	if len(s.Command) > 0 {
		d.Add(prose.Paragraph(made), prose.Command(commandLine(s.Command)))
	}
	d.Add(prose.Heading("The record"), prose.List{
		"name: " + f.Record,
		"experiment.yaml: sha256 " + s.Fingerprint,
	})
	if digest, err := record.Digest(f.rec.Path); err == nil {
		d.Add(prose.List{"all files except points and raw output: sha256 " + digest},
			prose.Paragraph("To check that a copy is this record, run in its directory:"), prose.Command(record.DigestCommand))
	}
	return d
}

// commandLine returns a command as it was typed, without the directory of the program.
func commandLine(words []string) string {
	line := []string{filepath.Base(words[0])}
	for _, word := range words[1:] {
		line = append(line, phrase.ShellWord(prose.Clean(word)))
	}
	return strings.Join(line, " ")
}
