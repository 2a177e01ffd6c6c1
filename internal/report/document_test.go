package report_test

import (
	"reflect"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/record"
	"plinth/internal/record/recordtest"
	"plinth/internal/report"
	"plinth/internal/verdict"
)

// TestDocument holds what docs/record.md says of the JSON to the Go structs.
func TestDocument(t *testing.T) {
	recordtest.CheckDocument(t, "../../docs/record.md", map[string]reflect.Type{
		"Show":               reflect.TypeFor[report.Summary](),
		"Struck":             reflect.TypeFor[record.Struck](),
		"Strike":             reflect.TypeFor[record.Strike](),
		"Head":               reflect.TypeFor[report.Head](),
		"Workload":           reflect.TypeFor[report.Workload](),
		"EnvironmentNumbers": reflect.TypeFor[report.Environment](),
		"Row":                reflect.TypeFor[report.Row](),
		"Average":            reflect.TypeFor[report.Average](),
		"CellNumbers":        reflect.TypeFor[report.Cell](),
		"Range":              reflect.TypeFor[report.Range](),
		"Percentiles":        reflect.TypeFor[report.Percentiles](),
		"NotValid":           reflect.TypeFor[report.NotValid](),
		"Cell":               reflect.TypeFor[experiment.Cell](),
		"Method":             reflect.TypeFor[report.Method](),
		"Counts":             reflect.TypeFor[record.Counts](),
		"Penalty":            reflect.TypeFor[report.Penalty](),
		"Ratio":              reflect.TypeFor[report.Ratio](),
		"TuningSteps":        reflect.TypeFor[report.TuningSteps](),
		"TuningStep":         reflect.TypeFor[report.TuningStep](),
		"Cliff":              reflect.TypeFor[report.Cliff](),
		"Spread":             reflect.TypeFor[report.Spread](),
		"Ablation":           reflect.TypeFor[report.Ablation](),
		"AblatedPart":        reflect.TypeFor[report.AblatedPart](),
		"PartEffect":         reflect.TypeFor[report.PartEffect](),
		"PartsSum":           reflect.TypeFor[report.PartsSum](),
		"PublishedImpact":    reflect.TypeFor[report.PublishedImpact](),
		"Note":               reflect.TypeFor[record.Note](),
		"Dataset":            reflect.TypeFor[record.Dataset](),
		"Table":              reflect.TypeFor[record.Table](),
		"Tablespace":         reflect.TypeFor[record.Tablespace](),
		"Comparison":         reflect.TypeFor[verdict.Comparison](),
		"Fewest":             reflect.TypeFor[verdict.Fewest](),
		"Families":           reflect.TypeFor[verdict.Families](),
		"Rank":               reflect.TypeFor[verdict.Rank](),
		"Verdict":            reflect.TypeFor[record.Verdict](),
		"Plan":               reflect.TypeFor[record.Plan](),
		"Look":               reflect.TypeFor[record.Look](),
		"Noise":              reflect.TypeFor[record.Noise](),
		"Machine":            reflect.TypeFor[host.Facts](),
	})
}
