package tune

import (
	"strings"

	"plinth/internal/knob"
)

// reading is the value in the content of a file: of a list of words the one in brackets.
// The catalog is not asked, because a journal is read without it.
func reading(content string) string {
	content = strings.TrimSpace(content)
	if _, rest, found := strings.Cut(content, "["); found {
		if word, _, closed := strings.Cut(rest, "]"); closed {
			return word
		}
	}
	return content
}

// offered are the words that a bracketed file lists; none of another one.
func offered(content string) []string {
	if !strings.Contains(content, "[") {
		return nil
	}
	return strings.Fields(strings.NewReplacer("[", " ", "]", " ").Replace(content))
}

// same says whether two values of a knob mean the same. What the catalog does not have
// must be the same text.
func same(key, a, b string) bool {
	a, b = strings.TrimSpace(a), strings.TrimSpace(b)
	if a == b {
		return true
	}
	name := knob.ParseKey(key).Knob
	k, there := knob.Find(name)
	for _, engine := range []string{"postgres", "redis"} {
		if !there {
			k, there = knob.Parameter(engine, name)
		}
	}
	return there && k.Same(a, b)
}

// read is the value of a file.
func read(m Machine, path string) (string, error) {
	content, err := m.Read(path)
	return reading(content), err
}
