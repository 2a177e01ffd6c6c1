package main

import (
	"strings"
	"testing"
	"time"

	"plinth/internal/host"
	"plinth/internal/measuretest"
)

func TestPage(t *testing.T) {
	most := 100.0
	answers := []measuretest.Answer{
		{Package: "internal/emulator", Test: "TestMeasureLate", Question: "How late is it?", Figures: []measuretest.Figure{
			{What: "a write", Unit: "µs", N: 5, Median: 84, Low: 61, High: 130, Most: &most},
			{What: "a read", Unit: "µs", N: 5, Median: 184, Low: 61, High: 230, Most: &most},
			{What: "rate", Unit: "/s", N: 5, Median: 12345, Low: 12000, High: 13000},
		}},
		{Package: "internal/emulator", Test: "TestMeasureMore", Question: "And this?"},
	}
	got := page(answers, host.Facts{CPUModel: "A CPU", CPUs: 2, Memory: 24 << 30, OS: "Debian", Kernel: "6.1"}, "abc123", time.Date(2026, 11, 22, 1, 0, 0, 0, time.UTC))
	for _, want := range []string{
		"- 2026-11-22, commit abc123\n- A CPU, 2 CPUs, 24 GiB of memory; Debian, Linux 6.1\n- 2 checks, 1 without an answer; 1 of 2 bounds are met\n",
		"| a write | 84 µs | 61 to 130 | 5 | at most 100 µs | met |\n",
		"| a read | 184 µs | 61 to 230 | 5 | at most 100 µs | **not met** |\n",
		"| rate | 12345 /s | 12000 to 13000 | 5 |  |  |\n",
		"And this? (`TestMeasureMore`)\n\n**no answer**: a measurement failed\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "\n## internal/emulator\n"); n != 1 {
		t.Errorf("%d headings of one package", n)
	}
}
