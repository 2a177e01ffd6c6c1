package postgres

import (
	"time"

	"plinth/internal/telemetry"
)

// NewLog returns a server's own log without lines; its marks are those of readLine.
func NewLog() *telemetry.Log {
	return telemetry.NewLog(func(_ time.Time, line string) (kind, text string) { return readLine(line) })
}
