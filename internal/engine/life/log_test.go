package life

import (
	"strings"
	"testing"
)

func TestLogForgetsOldLines(t *testing.T) {
	log := NewLog(func(lines *int, _ string) { *lines++ })
	line := strings.Repeat("x", 99) + "\n"
	const wanted = 2 * LogBytes / 100
	for range wanted {
		_, _ = log.Write([]byte(line))
	}
	if n := len(log.String()); n > LogBytes || n < LogBytes-len(line) {
		t.Errorf("%d bytes are kept of at most %d", n, LogBytes)
	}
	if n := log.Said(); n != wanted {
		t.Errorf("%d lines were noted of %d", n, wanted)
	}
}
