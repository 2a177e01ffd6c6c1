package record_test

import (
	"reflect"
	"testing"

	"plinth/internal/device"
	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/host/watch"
	"plinth/internal/record"
	"plinth/internal/record/recordtest"
)

// TestDocument checks docs/record.md against the Go structs.
func TestDocument(t *testing.T) {
	recordtest.CheckDocument(t, "../../docs/record.md", map[string]reflect.Type{
		"Summary":     reflect.TypeFor[record.Summary](),
		"Machine":     reflect.TypeFor[host.Facts](),
		"Counts":      reflect.TypeFor[record.Counts](),
		"Sample":      reflect.TypeFor[record.Sample](),
		"Note":        reflect.TypeFor[record.Note](),
		"Environment": reflect.TypeFor[record.Environment](),
		"Kubernetes":  reflect.TypeFor[record.Kubernetes](), "Synchronous": reflect.TypeFor[record.Synchronous](), "Claim": reflect.TypeFor[record.Claim](), "Granted": reflect.TypeFor[record.Granted](),
		"Import": reflect.TypeFor[record.Import](), "ImportedFile": reflect.TypeFor[record.ImportedFile](), "ImportedSection": reflect.TypeFor[record.ImportedSection](),
		"UnreadLine": reflect.TypeFor[record.UnreadLine](), "ImportedFact": reflect.TypeFor[record.ImportedFact](),
		"Volume":     reflect.TypeFor[record.Volume](),
		"Dataset":    reflect.TypeFor[record.Dataset](),
		"Table":      reflect.TypeFor[record.Table](),
		"Tablespace": reflect.TypeFor[record.Tablespace](),
		"Run":        reflect.TypeFor[record.Run](),
		"Phases":     reflect.TypeFor[record.Phases](), "Switch": reflect.TypeFor[record.Switch](),
		"Tuning": reflect.TypeFor[record.Tuning](), "Knob": reflect.TypeFor[record.Knob](), "LeftOut": reflect.TypeFor[record.LeftOut](),
		"Driver":        reflect.TypeFor[record.Driver](),
		"Result":        reflect.TypeFor[record.Result](),
		"Latency":       reflect.TypeFor[record.Latency](),
		"Lag":           reflect.TypeFor[record.Lag](),
		"ScriptResult":  reflect.TypeFor[record.ScriptResult](),
		"StatementMean": reflect.TypeFor[record.StatementMean](),
		"VolumeIO":      reflect.TypeFor[record.VolumeIO](),
		"Plan":          reflect.TypeFor[record.Plan](), "Look": reflect.TypeFor[record.Look](),
		"Verdict": reflect.TypeFor[record.Verdict](), "Cell": reflect.TypeFor[experiment.Cell](),
		"Noise": reflect.TypeFor[record.Noise](), "Evidence": reflect.TypeFor[record.Evidence](),
		"MachineEvidence": reflect.TypeFor[record.MachineEvidence](), "GeneratorEvidence": reflect.TypeFor[record.GeneratorEvidence](),
		"ServerEvidence": reflect.TypeFor[record.ServerEvidence](), "NeighbourEvidence": reflect.TypeFor[record.NeighbourEvidence](),
		"GeneratorRun": reflect.TypeFor[record.GeneratorRun](), "ClockComparison": reflect.TypeFor[record.ClockComparison](), "Network": reflect.TypeFor[record.Network](),
		"Gap": reflect.TypeFor[record.Gap](), "Beside": reflect.TypeFor[record.Beside](),
		"Inventory": reflect.TypeFor[record.Machine](), "MachineGap": reflect.TypeFor[host.Gap](),
		"InventoryCPU":    reflect.TypeFor[host.CPUInventory](),
		"Cache":           reflect.TypeFor[host.Cache](),
		"Shared":          reflect.TypeFor[host.Shared](),
		"NUMANode":        reflect.TypeFor[host.NUMANode](),
		"InventoryMemory": reflect.TypeFor[host.MemoryOf](),
		"SwapArea":        reflect.TypeFor[host.SwapArea](),
		"KernelSetting":   reflect.TypeFor[host.Setting](),
		"CgroupLimits":    reflect.TypeFor[host.CgroupLimits](),
		"Disk":            reflect.TypeFor[host.Disk](),
		"Place":           reflect.TypeFor[host.Place](),
		"Layer":           reflect.TypeFor[host.Layer](),
		"Remote":          reflect.TypeFor[host.Remote](),
		"LoadAverage":     reflect.TypeFor[host.LoadAverage](),
		"BusyProcess":     reflect.TypeFor[watch.BusyProcess](),
		"Telemetry":       reflect.TypeFor[record.Telemetry](), "Mark": reflect.TypeFor[record.Mark](),
		"TelemetryGap": reflect.TypeFor[record.TelemetryGap](), "Cost": reflect.TypeFor[record.Cost](),
		"Resource":  reflect.TypeFor[record.Resource](),
		"Said":      reflect.TypeFor[record.Said](),
		"Emulation": reflect.TypeFor[record.Emulation](), "Device": reflect.TypeFor[device.Device](),
		"DeviceLatency": reflect.TypeFor[device.Latency](), "DeviceLimit": reflect.TypeFor[device.Limit](),
		"FlowLimit": reflect.TypeFor[device.FlowLimit](), "DeviceArray": reflect.TypeFor[device.Array](),
		"CPUCredits": reflect.TypeFor[record.CPUCredits](), "CreditsSpent": reflect.TypeFor[record.CreditsSpent](), "Burst": reflect.TypeFor[record.Burst](), "Instance": reflect.TypeFor[record.Instance](),
		"DeviceDisk":   reflect.TypeFor[device.Disk](),
		"ServerLimits": reflect.TypeFor[record.Limits](), "Pressure": reflect.TypeFor[record.Pressure](),
		"Proof": reflect.TypeFor[record.Calibration](), "Event": reflect.TypeFor[record.Event](),
		"Durability": reflect.TypeFor[record.Durability](), "Injection": reflect.TypeFor[record.Injection](), "Primary": reflect.TypeFor[record.Primary](), "PrimaryPod": reflect.TypeFor[record.PrimaryPod](), "Replica": reflect.TypeFor[record.Replica](),
		"Point": reflect.TypeFor[record.Point](),
		"Now":   reflect.TypeFor[record.Now](),
	})
}
