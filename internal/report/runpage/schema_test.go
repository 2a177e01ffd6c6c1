package runpage_test

import (
	"reflect"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/record/recordtest"
	"plinth/internal/report/runpage"
)

// TestRunDocument checks docs/record.md against the Go structs of a run's JSON.
func TestRunDocument(t *testing.T) {
	recordtest.CheckDocument(t, "../../../docs/record.md", map[string]reflect.Type{
		"RunPage":      reflect.TypeFor[runpage.Page](),
		"Owner":        reflect.TypeFor[runpage.Owner](),
		"Wait":         reflect.TypeFor[runpage.Wait](),
		"RunChecklist": reflect.TypeFor[runpage.Checklist](),
		"CheckedValue": reflect.TypeFor[runpage.CheckedValue](),
		"TimelineRow":  reflect.TypeFor[runpage.TimelineRow](),
		"SideBySide":   reflect.TypeFor[runpage.SideBySide](),
		"Side":         reflect.TypeFor[runpage.Side](),
		"Cell":         reflect.TypeFor[experiment.Cell](),
		"Step":         reflect.TypeFor[runpage.Step](),
		"Pair":         reflect.TypeFor[runpage.Pair](),

		// Parts of a Run.
		"Run":   reflect.TypeFor[record.Run](),
		"Note":  reflect.TypeFor[record.Note](),
		"Proof": reflect.TypeFor[record.Calibration](),
		"Event": reflect.TypeFor[record.Event](),
		"Burst": reflect.TypeFor[record.Burst](), "CreditsSpent": reflect.TypeFor[record.CreditsSpent](),
		"Pressure": reflect.TypeFor[record.Pressure](),
		"Phases":   reflect.TypeFor[record.Phases](), "Switch": reflect.TypeFor[record.Switch](),
		"Driver":            reflect.TypeFor[record.Driver](),
		"Result":            reflect.TypeFor[record.Result](),
		"Latency":           reflect.TypeFor[record.Latency](),
		"Lag":               reflect.TypeFor[record.Lag](),
		"ScriptResult":      reflect.TypeFor[record.ScriptResult](),
		"StatementMean":     reflect.TypeFor[record.StatementMean](),
		"VolumeIO":          reflect.TypeFor[record.VolumeIO](),
		"Evidence":          reflect.TypeFor[record.Evidence](),
		"MachineEvidence":   reflect.TypeFor[record.MachineEvidence](),
		"GeneratorEvidence": reflect.TypeFor[record.GeneratorEvidence](),
		"ServerEvidence":    reflect.TypeFor[record.ServerEvidence](),
		"NeighbourEvidence": reflect.TypeFor[record.NeighbourEvidence](),
		"Gap":               reflect.TypeFor[record.Gap](),
		"GeneratorRun":      reflect.TypeFor[record.GeneratorRun](),
		"ClockComparison":   reflect.TypeFor[record.ClockComparison](),
		"Network":           reflect.TypeFor[record.Network](),
		"Beside":            reflect.TypeFor[record.Beside](),
		"Telemetry":         reflect.TypeFor[record.Telemetry](),
		"Mark":              reflect.TypeFor[record.Mark](),
		"TelemetryGap":      reflect.TypeFor[record.TelemetryGap](),
		"Cost":              reflect.TypeFor[record.Cost](),
		"Resource":          reflect.TypeFor[record.Resource](),
	})
}
