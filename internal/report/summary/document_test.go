package summary_test

import (
	"reflect"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/record"
	"plinth/internal/record/recordtest"
	"plinth/internal/report/breakdown"
	"plinth/internal/report/compare"
	"plinth/internal/report/show"
	"plinth/internal/report/steps"
	"plinth/internal/report/summary"
	"plinth/internal/verdict"
)

// TestDocument checks docs/record.md against the Go structs of the JSON.
func TestDocument(t *testing.T) {
	recordtest.CheckDocument(t, "../../../docs/record.md", map[string]reflect.Type{
		"Show":               reflect.TypeFor[summary.Summary](),
		"Survival":           reflect.TypeFor[record.Survival](),
		"Injection":          reflect.TypeFor[record.Injection](),
		"Primary":            reflect.TypeFor[record.Primary](),
		"PrimaryPod":         reflect.TypeFor[record.PrimaryPod](),
		"Head":               reflect.TypeFor[show.Head](),
		"Workload":           reflect.TypeFor[show.Workload](),
		"EnvironmentNumbers": reflect.TypeFor[show.Environment](),
		"Row":                reflect.TypeFor[show.Row](),
		"Average":            reflect.TypeFor[show.Average](),
		"ColumnValue":        reflect.TypeFor[show.ColumnValue](),
		"Breakdown":          reflect.TypeFor[breakdown.JSON](),
		"Value":              reflect.TypeFor[breakdown.Value](),
		"Slope":              reflect.TypeFor[breakdown.Slope](),
		"CellNumbers":        reflect.TypeFor[show.Cell](),
		"Range":              reflect.TypeFor[show.Range](),
		"Percentiles":        reflect.TypeFor[show.Percentiles](),
		"NotValid":           reflect.TypeFor[show.NotValid](),
		"Cell":               reflect.TypeFor[experiment.Cell](),
		"Method":             reflect.TypeFor[show.Method](),
		"Counts":             reflect.TypeFor[record.Counts](),
		"Penalty":            reflect.TypeFor[compare.Penalty](),
		"Ratio":              reflect.TypeFor[compare.Ratio](),
		"TuningSteps":        reflect.TypeFor[steps.Table](),
		"TuningStep":         reflect.TypeFor[steps.Step](),
		"Cliff":              reflect.TypeFor[steps.Cliff](),
		"Spread":             reflect.TypeFor[steps.Spread](),
		"Ablation":           reflect.TypeFor[steps.Ablation](),
		"AblatedPart":        reflect.TypeFor[steps.AblatedPart](),
		"PartEffect":         reflect.TypeFor[steps.PartEffect](),
		"PartsSum":           reflect.TypeFor[steps.PartsSum](),
		"PublishedImpact":    reflect.TypeFor[steps.PublishedImpact](),
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
