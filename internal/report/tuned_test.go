package report_test

import (
	"strings"
	"testing"

	"plinth/internal/report/reporttest"
)

// TestPageHasTheTuning checks the steps, the tuning of each, and the switches between them.
func TestPageHasTheTuning(t *testing.T) {
	html := bodyHTML(full(t, reporttest.InSteps(t, 7)))
	for _, want := range []string{"was retuned between environments 14 times", "vm.swappiness", "a database brings its own cache", "scaling_governor is not applicable here"} {
		if !strings.Contains(html, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}
