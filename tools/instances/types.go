package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// columns are the columns of the catalog.
var columns = []string{
	"type", "vcpus", "memory", "architecture", "processor",
	"ebs", "ebs_max", "ebs_iops", "ebs_max_iops", "network", "network_max",
	"drives", "drive_size", "drive_kind", "coremark", "numa_nodes",
}

// instanceType is the part of an entry of instances.json that the catalog uses. Bandwidths are in
// Mbit/s, throughputs in MB/s.
type instanceType struct {
	Name          string   `json:"instance_type"`
	VCPUs         int      `json:"vCPU"`
	Memory        float64  `json:"memory"` // GiB
	Arch          []string `json:"arch"`
	Processor     string   `json:"physical_processor"`
	EBS           float64  `json:"ebs_baseline_bandwidth"`
	EBSThroughput float64  `json:"ebs_baseline_throughput"`
	EBSIOPS       float64  `json:"ebs_baseline_iops"`
	EBSMax        float64  `json:"ebs_max_bandwidth"`
	EBSMaxIOPS    float64  `json:"ebs_iops"`
	Network       string   `json:"network_performance"`
	Storage       *storage `json:"storage"`
}

// storage describes the local drives of a type.
type storage struct {
	Devices int     `json:"devices"`
	Size    float64 `json:"size"` // of each
	Unit    string  `json:"size_unit"`
	NVMe    bool    `json:"nvme_ssd"` // the interface; a disk behind NVMe has it, too
	SSD     bool    `json:"ssd"`
}

func (t instanceType) family() string {
	family, _, _ := strings.Cut(t.Name, ".")
	return family
}

// readTypes reads the types of all families.
func readTypes() ([]instanceType, error) {
	dir, err := typesModule.download()
	if err != nil {
		return nil, err
	}
	file, err := os.Open(filepath.Join(dir, "data", "instances.json"))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	decoder := json.NewDecoder(file)
	if _, err := decoder.Token(); err != nil { // the bracket that opens the list
		return nil, err
	}
	var types []instanceType
	found := map[string]bool{}
	for decoder.More() {
		var fields map[string]json.RawMessage // some types outside of the families have text for numbers
		if err := decoder.Decode(&fields); err != nil {
			return nil, err
		}
		var name string
		if err := json.Unmarshal(fields["instance_type"], &name); err != nil {
			return nil, err
		}
		if family, _, _ := strings.Cut(name, "."); !slices.Contains(families, family) {
			continue
		}
		delete(fields, "pricing")
		text, err := json.Marshal(fields)
		if err != nil {
			return nil, err
		}
		var t instanceType
		if err := json.Unmarshal(text, &t); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		types = append(types, t)
		found[t.family()] = true
	}
	for _, family := range families {
		if !found[family] {
			return nil, fmt.Errorf("%s has no type of the family %s", typesModule.path, family)
		}
	}
	return types, nil
}

// line returns the type's line of the catalog.
func (t instanceType) line(networkBaseline int, m measured) (string, error) {
	// ebs_throughput repeats the baseline. The maximum throughput is the maximum bandwidth in bytes.
	if math.Abs(t.EBS/8-t.EBSThroughput) > 0.15 {
		return "", fmt.Errorf("a bandwidth of %g Mbit/s is not a throughput of %g MB/s", t.EBS, t.EBSThroughput)
	}
	if t.EBSMax < t.EBS || t.EBSMaxIOPS < t.EBSIOPS || (t.EBSMax > t.EBS) != (t.EBSMaxIOPS > t.EBSIOPS) {
		return "", fmt.Errorf("the limits of EBS contradict each other: %+v", t)
	}
	maximum, err := t.network()
	if err != nil {
		return "", err
	}
	if networkBaseline > maximum {
		return "", fmt.Errorf("the network's baseline of %d Mbit/s is above the maximum of %d", networkBaseline, maximum)
	}
	cells := []string{
		t.Name, strconv.Itoa(t.VCPUs), number(t.Memory), t.Arch[len(t.Arch)-1], t.processor(),
		number(t.EBS), number(t.EBSMax), number(t.EBSIOPS), number(t.EBSMaxIOPS),
		number(float64(networkBaseline)), number(float64(maximum)), "-", "-", "-",
		m.coremark, m.nodes,
	}
	if s := t.Storage; s != nil {
		if s.Unit != "GB" {
			return "", fmt.Errorf("the drives' size is in %s", s.Unit)
		}
		cells[11], cells[12], cells[13] = strconv.Itoa(s.Devices), number(s.Size), s.kind()
	}
	for i, cell := range cells {
		if cell == "" {
			cells[i] = "-"
		}
	}
	return strings.Join(cells, "\t") + "\n", nil
}

func (s storage) kind() string {
	medium := "hdd"
	if s.SSD {
		medium = "ssd"
	}
	if s.NVMe {
		return "nvme-" + medium
	}
	return medium
}

var gigabits = regexp.MustCompile(`^(?:Up to )?([0-9.]+) Gigabit$`)

// network returns the maximum of the network in Mbit/s; 0 if it is published in words only, such as
// "Moderate".
func (t instanceType) network() (int, error) {
	m := gigabits.FindStringSubmatch(t.Network)
	if m == nil {
		return 0, nil
	}
	f, err := strconv.ParseFloat(m[1], 64)
	return int(math.Round(f * 1000)), err
}

// processor returns the processor's name without the words that all names have.
func (t instanceType) processor() string {
	return strings.TrimSuffix(t.Processor, " Processor")
}

// number formats f; a value of 0 is not published.
func number(f float64) string {
	if f == 0 {
		return "-"
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}
