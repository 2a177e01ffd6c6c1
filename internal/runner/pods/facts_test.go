package pods

import (
	"testing"

	"plinth/internal/host"
	"plinth/internal/kube/cluster"
	"plinth/internal/unit"
)

func TestFactsOf(t *testing.T) {
	got := factsOf("v1.33.13", []cluster.Node{
		{Name: "a", CPUs: 3.92, Memory: 16 * unit.GiB, Kernel: "6.8.0", Architecture: "amd64", InstanceType: "m6i.xlarge"},
		{Name: "b", CPUs: 7.9, Memory: 32 * unit.GiB, Kernel: "6.1.0", Architecture: "amd64"},
	})
	want := host.Facts{OS: "Kubernetes v1.33.13", Kernel: "6.1.0, 6.8.0", Arch: "amd64", CPUModel: "m6i.xlarge", CPUs: 10, Memory: int64(48 * unit.GiB)}
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
