package profile

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"plinth/internal/profile/evidence"
	"plinth/internal/prose"
)

// introduction is the beginning of docs/profiles.md, before the profiles.
//
//go:embed introduction.md
var introduction string

const docs = "../../docs/profiles.md"

// TestDocument checks that docs/profiles.md matches the profiles.
func TestDocument(t *testing.T) {
	want, err := document()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(docs, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(docs)
	if err != nil || string(got) != want {
		t.Errorf("docs/profiles.md is not current: go test ./internal/profile -update (%v)", err)
	}
	for name := range missingFacts {
		if !strings.Contains(introduction, "`"+name+"`") && !strings.Contains(introduction, "`"+strings.Replace(name, "wal.", "disk.", 1)+"`") {
			t.Errorf("the introduction does not name the fact %s", name)
		}
	}
	for _, name := range topNames() {
		if !strings.Contains(introduction, "`"+name) && name != "disk" && name != "wal" {
			t.Errorf("the introduction does not name %s", name)
		}
	}
}

func document() (string, error) {
	var b strings.Builder
	b.WriteString(introduction)
	for _, p := range All() {
		fmt.Fprintf(&b, "\n## %s\n\n%s.\n", p.Name, prose.EscapeMarkdown(upper(p.About)))
		source := prose.EscapeMarkdown(p.Source.String())
		if p.Source.URL != "" {
			source += ", <" + p.Source.URL + ">"
		}
		fmt.Fprintf(&b, "Source: %s.\n", source)
		if len(p.Includes) > 0 {
			fmt.Fprintf(&b, "It includes [%[1]s](#%[1]s); the values below take precedence.\n", strings.Join(p.Includes, ", "))
		}
		for _, r := range p.Requires {
			fmt.Fprintf(&b, "Requirement (%s layer): %s.\n", r.Layer, prose.EscapeMarkdown(r.Text))
		}
		measured, err := evidence.Read(p.Name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		heads, effects := "| knob | value | group | why |\n|---|---|---|---|\n", err == nil
		if effects {
			heads = fmt.Sprintf("| knob | value | group | %s with the group, %% | why |\n|---|---|---|---|---|\n", evidence.Rate(p.Name))
		}
		b.WriteString("\n" + heads)
		for _, s := range p.Settings {
			reason := prose.EscapeMarkdown(s.Reason)
			if s.When != "" {
				reason += "; only if " + code(s.When)
			}
			fmt.Fprintf(&b, "| %s | %s | %s |", code(s.Key.String()), code(s.Value), s.Group)
			if effects {
				b.WriteString(" " + measured.Effect(s.Group) + " |")
			}
			b.WriteString(" " + reason + " |\n")
		}
		switch chapter, err := evidence.Document(p.Name); {
		case err == nil:
			b.WriteString(chapter)
		case !errors.Is(err, fs.ErrNotExist):
			return "", err
		}
	}
	return b.String(), nil
}

func code(text string) string { return "`" + strings.ReplaceAll(text, "|", `\|`) + "`" }

func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
