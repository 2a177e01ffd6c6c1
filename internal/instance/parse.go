package instance

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"plinth/internal/unit"
)

// The columns of the data. tools/instances writes them in this order.
const (
	columnType = iota
	columnVCPUs
	columnMemory
	columnArchitecture
	columnProcessor
	columnEBS
	columnEBSMax
	columnEBSIOPS
	columnEBSMaxIOPS
	columnNetwork
	columnNetworkMax
	columnDrives
	columnDriveSize
	columnDriveKind
	columnCoreMark
	columnNUMANodes
	columns
)

// parse reads tab-separated lines after comments and a line of titles. Its errors name the line.
func parse(text string) ([]Instance, error) {
	var all []Instance
	number, titles := 0, false
	for line := range strings.Lines(text) {
		number++
		if strings.HasPrefix(line, "#") {
			continue
		}
		if !titles {
			titles = true
			continue
		}
		r := row{cells: strings.Split(strings.TrimRight(line, "\r\n"), "\t")}
		if len(r.cells) != columns {
			return nil, fmt.Errorf("line %d: %d columns, not %d", number, len(r.cells), columns)
		}
		i := r.instance()
		if r.err != nil {
			return nil, fmt.Errorf("line %d: %w", number, r.err)
		}
		all = append(all, i)
	}
	return all, nil
}

// row is a line of the data, with the first error of its cells.
type row struct {
	cells []string
	err   error
}

func (r *row) instance() Instance {
	i := Instance{
		Name: r.cells[columnType], Type: r.cells[columnType],
		VCPUs: r.whole(columnVCPUs), Memory: unit.Size(r.number(columnMemory) * float64(unit.GiB)),
		Architecture: r.cells[columnArchitecture], Processor: r.cells[columnProcessor],
		EBS: EBS{
			Baseline: r.ceiling(columnEBS, columnEBSIOPS),
			Maximum:  r.ceiling(columnEBSMax, columnEBSMaxIOPS),
		},
		Network:  Network{Baseline: r.whole(columnNetwork), Maximum: r.whole(columnNetworkMax)},
		Drives:   r.drives(),
		CoreMark: r.number(columnCoreMark), NUMANodes: r.whole(columnNUMANodes),
	}
	i.Credits = creditsOf(i.Type, i.VCPUs)
	return i
}

func (r *row) ceiling(bandwidth, iops int) Ceiling {
	megabits := r.whole(bandwidth)
	return Ceiling{Bandwidth: megabits, Throughput: unit.Rate(megabits) * 1e6 / 8, IOPS: r.number(iops)}
}

func (r *row) drives() Drives {
	d := Drives{Number: r.whole(columnDrives), Size: unit.Size(r.number(columnDriveSize) * 1e9)}
	switch kind := r.cells[columnDriveKind]; kind {
	case "-", "ssd":
	case "nvme-ssd":
		d.NVMe = true
	case "nvme-hdd":
		d.NVMe, d.Disk = true, true
	case "hdd":
		d.Disk = true
	default:
		r.err = fmt.Errorf("there is no kind of drive %q", kind)
	}
	return d
}

// number returns a cell; a hyphen is 0.
func (r *row) number(column int) float64 {
	cell := r.cells[column]
	if cell == "-" {
		return 0
	}
	f, err := strconv.ParseFloat(cell, 64)
	if (err != nil || f < 0 || f > 1e9 || math.IsNaN(f)) && r.err == nil {
		r.err = fmt.Errorf("column %d: %q is not a number from 0 to 1e9", column+1, cell)
	}
	return f
}

// whole returns a cell that is a whole number.
func (r *row) whole(column int) int {
	f := r.number(column)
	if f != math.Trunc(f) && r.err == nil {
		r.err = fmt.Errorf("column %d: %q is not a whole number", column+1, r.cells[column])
	}
	return int(f)
}
