package record_test

import (
	"reflect"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/record"
	"plinth/internal/record/recordtest"
)

// TestDocument holds docs/record.md to the Go structs.
func TestDocument(t *testing.T) {
	recordtest.CheckDocument(t, "../../docs/record.md", map[string]reflect.Type{
		"Summary":       reflect.TypeFor[record.Summary](),
		"Machine":       reflect.TypeFor[host.Facts](),
		"Counts":        reflect.TypeFor[record.Counts](),
		"Sample":        reflect.TypeFor[record.Sample](),
		"Note":          reflect.TypeFor[record.Note](),
		"Environment":   reflect.TypeFor[record.Environment](),
		"Volume":        reflect.TypeFor[record.Volume](),
		"Dataset":       reflect.TypeFor[record.Dataset](),
		"Table":         reflect.TypeFor[record.Table](),
		"Run":           reflect.TypeFor[record.Run](),
		"Phases":        reflect.TypeFor[record.Phases](),
		"Driver":        reflect.TypeFor[record.Driver](),
		"Result":        reflect.TypeFor[record.Result](),
		"Latency":       reflect.TypeFor[record.Latency](),
		"Lag":           reflect.TypeFor[record.Lag](),
		"ScriptResult":  reflect.TypeFor[record.ScriptResult](),
		"StatementMean": reflect.TypeFor[record.StatementMean](),
		"Plan":          reflect.TypeFor[record.Plan](), "Look": reflect.TypeFor[record.Look](),
		"Verdict": reflect.TypeFor[record.Verdict](), "Cell": reflect.TypeFor[experiment.Cell](),
		"Noise": reflect.TypeFor[record.Noise](), "Evidence": reflect.TypeFor[record.Evidence](),
		"MachineEvidence": reflect.TypeFor[record.MachineEvidence](), "GeneratorEvidence": reflect.TypeFor[record.GeneratorEvidence](),
		"ServerEvidence": reflect.TypeFor[record.ServerEvidence](), "NeighbourEvidence": reflect.TypeFor[record.NeighbourEvidence](),
		"Gap": reflect.TypeFor[record.Gap](), "Beside": reflect.TypeFor[record.Beside](),
		"Telemetry": reflect.TypeFor[record.Telemetry](), "Mark": reflect.TypeFor[record.Mark](),
		"TelemetryGap": reflect.TypeFor[record.TelemetryGap](), "Cost": reflect.TypeFor[record.Cost](),
		"Resource": reflect.TypeFor[record.Resource](),
		"Point":    reflect.TypeFor[record.Point](),
	})
}
