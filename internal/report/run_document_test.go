package report_test

import (
	"reflect"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/record/recordtest"
	"plinth/internal/report"
)

// TestRunDocument holds what docs/record.md says of the JSON of runs to the Go
// structs.
func TestRunDocument(t *testing.T) {
	recordtest.CheckDocument(t, "../../docs/record.md", map[string]reflect.Type{
		"RunPage":      reflect.TypeFor[report.RunPage](),
		"Owner":        reflect.TypeFor[report.Owner](),
		"Wait":         reflect.TypeFor[report.Wait](),
		"RunChecklist": reflect.TypeFor[report.RunChecklist](),
		"CheckedValue": reflect.TypeFor[report.CheckedValue](),
		"TimelineRow":  reflect.TypeFor[report.TimelineRow](),
		"SideBySide":   reflect.TypeFor[report.SideBySide](),
		"Side":         reflect.TypeFor[report.Side](),
		"Cell":         reflect.TypeFor[experiment.Cell](),
		"Step":         reflect.TypeFor[report.Step](),
		"Pair":         reflect.TypeFor[report.Pair](),

		// What a Run holds.
		"Run":      reflect.TypeFor[record.Run](),
		"Note":     reflect.TypeFor[record.Note](),
		"Proof":    reflect.TypeFor[record.Proof](),
		"Event":    reflect.TypeFor[record.Event](),
		"Pressure": reflect.TypeFor[record.Pressure](),
		"Phases":   reflect.TypeFor[record.Phases](), "Switch": reflect.TypeFor[record.Switch](),
		"Driver":            reflect.TypeFor[record.Driver](),
		"Result":            reflect.TypeFor[record.Result](),
		"Latency":           reflect.TypeFor[record.Latency](),
		"Lag":               reflect.TypeFor[record.Lag](),
		"ScriptResult":      reflect.TypeFor[record.ScriptResult](),
		"StatementMean":     reflect.TypeFor[record.StatementMean](),
		"Evidence":          reflect.TypeFor[record.Evidence](),
		"MachineEvidence":   reflect.TypeFor[record.MachineEvidence](),
		"GeneratorEvidence": reflect.TypeFor[record.GeneratorEvidence](),
		"ServerEvidence":    reflect.TypeFor[record.ServerEvidence](),
		"NeighbourEvidence": reflect.TypeFor[record.NeighbourEvidence](),
		"Gap":               reflect.TypeFor[record.Gap](),
		"Beside":            reflect.TypeFor[record.Beside](),
		"Telemetry":         reflect.TypeFor[record.Telemetry](),
		"Mark":              reflect.TypeFor[record.Mark](),
		"TelemetryGap":      reflect.TypeFor[record.TelemetryGap](),
		"Cost":              reflect.TypeFor[record.Cost](),
		"Resource":          reflect.TypeFor[record.Resource](),
	})
}
