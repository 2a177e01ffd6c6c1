// Package sysstat reads the outputs of sysstat: iostat, mpstat, pidstat, sar and sadf, as text and as JSON.
package sysstat

import (
	"slices"

	"plinth/internal/capture"
	"plinth/internal/capture/sysstat/document"
	"plinth/internal/capture/sysstat/iostat"
	"plinth/internal/capture/sysstat/sadf"
	"plinth/internal/capture/sysstat/sar"
)

// Kinds returns the formats that the packages below this one read.
func Kinds() []capture.Kind {
	return slices.Concat(iostat.Kinds(), sar.Kinds(), sadf.Kinds(), document.Kinds())
}
