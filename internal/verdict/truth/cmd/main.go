// Command cmd generates the tables of docs/method.md; make truth runs it. Given the
// name of a document, it also writes the tables to that document, unless a figure
// refutes a claim.
package main

import (
	"fmt"
	"os"

	"plinth/internal/verdict/truth"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(documents []string) error {
	text, refused, err := truth.Write(os.Stdout, truth.Tables())
	if err != nil {
		return err
	}
	for _, r := range refused {
		fmt.Fprintf(os.Stderr, "refuted: %s, %s\n", r.Line, r.Column)
	}
	if len(refused) > 0 {
		return fmt.Errorf("cannot uphold %d of the claims", len(refused))
	}
	for _, document := range documents {
		if err := update(document, text); err != nil {
			return err
		}
	}
	return nil
}

func update(document, text string) error {
	old, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	updated, err := truth.Replaced(string(old), text)
	if err != nil {
		return err
	}
	return os.WriteFile(document, []byte(updated), 0o644)
}
