package layout

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"plinth/internal/device"
	"plinth/internal/device/meaning"
	"plinth/internal/placement"
	"plinth/internal/unit"
)

// Setting is a setting of the server, or of a tablespace.
type Setting struct {
	Name       string `json:"name"`
	Value      string `json:"value"`
	Tablespace string `json:"tablespace,omitempty"` // "" for the server
	Rule       string `json:"rule"`
	// Because says where the value is from, in numbers.
	Because string `json:"because"`
}

// addSetting adds a setting unless it is there: a value of a tablespace that is also the server's is
// left out.
func addSetting(all []Setting, s Setting, r Rule) []Setting {
	for _, other := range all {
		if other.Name == s.Name && (other.Tablespace == s.Tablespace || other.Tablespace == "" && other.Value == s.Value) {
			return all
		}
	}
	s.Rule = r.Name
	return append(all, s)
}

// settings calculate the values of settings for a volume. One that does not apply to
// the volume has no value.
var settings = map[string]func(f *finder, v Volume) Setting{
	"max_wal_size": func(f *finder, v Volume) Setting {
		if !slices.Contains(v.Holds, placement.WAL) {
			return Setting{}
		}
		minutes, most := f.in.checkpoints()
		return Setting{
			Name: "max_wal_size", Value: gigabytes(most),
			Because: fmt.Sprintf("%g times %s of WAL in %d min", walOfCheckpoint, unit.Size(float64(f.in.WAL.Rate)*60*float64(minutes)), minutes),
		}
	},
	"checkpoint_timeout": func(f *finder, v Volume) Setting {
		if !slices.Contains(v.Holds, placement.WAL) {
			return Setting{}
		}
		minutes, _ := f.in.checkpoints()
		because := fmt.Sprintf("%s of WAL are at most %s until then", f.in.WAL.Rate, unit.Size(float64(f.in.WAL.Rate)*60*float64(minutes)))
		return Setting{Name: "checkpoint_timeout", Value: fmt.Sprintf("%dmin", minutes), Because: because}
	},
	"random_page_cost": func(f *finder, v Volume) Setting {
		cost, because := pageCost(f.candidate(v.Disk).Device)
		return ofTables(v, Setting{Name: "random_page_cost", Value: strconv.FormatFloat(cost, 'f', -1, 64), Because: because})
	},
	"effective_io_concurrency": func(f *finder, v Volume) Setting {
		depth, because := readDepth(f.candidate(v.Disk).Device)
		return ofTables(v, Setting{Name: "effective_io_concurrency", Value: strconv.Itoa(depth), Because: because})
	},
	"temp_tablespaces": func(_ *finder, v Volume) Setting {
		if !v.temp || v.Main {
			return Setting{}
		}
		return Setting{Name: "temp_tablespaces", Value: tablespace(v), Because: "its files are on " + v.Disk}
	},
	"temp_file_limit": func(f *finder, v Volume) Setting {
		if !v.temp {
			return Setting{}
		}
		const processes = 20
		size := roomFor(f.in.Temp.Size, oneStep)
		return Setting{Name: "temp_file_limit", Value: gigabytes(size / processes), Because: fmt.Sprintf("a %dth of the %s for temporary files", processes, size)}
	},
}

// ofTables makes a setting that of the server for the data directory, that of the tablespace for other
// tables, and none where there are no tables.
func ofTables(v Volume, s Setting) Setting {
	switch {
	case !v.tables:
		return Setting{}
	case !v.Main:
		s.Tablespace = tablespace(v)
	}
	return s
}

// tablespace returns the name of the tablespace of a volume. Names that begin with pg_ are reserved, but
// no volume's does.
func tablespace(v Volume) string {
	if v.Role == roleTemp {
		return "temp_files"
	}
	return v.Name
}

// gigabytes formats a size as PostgreSQL reads it: its GB are GiB.
func gigabytes(s unit.Size) string {
	if s < unit.GiB {
		return fmt.Sprintf("%dMB", max(1, s/unit.MiB))
	}
	return fmt.Sprintf("%dGB", s/unit.GiB)
}

// The range of random_page_cost: PostgreSQL's default at most, and at least what is usual for SSDs.
const (
	leastPageCost = 1.1
	mostPageCost  = 4
	mostDepth     = 1000 // effective_io_concurrency
)

// statements returns what a device means for PostgreSQL, by its model.
func statements(d device.Device) map[string]meaning.Statement {
	e := device.Ideal(d)
	figures := meaning.Figures{Read: e.QD1Reads, Scan: float64(e.Throughput)}
	for depth := 1; depth < mostDepth; depth *= 2 {
		figures.Reads = append(figures.Reads, meaning.Reads{Depth: depth, IOPS: e.ReadsAt(depth)})
	}
	all := map[string]meaning.Statement{}
	for _, s := range meaning.Of(figures) {
		all[s.Rule] = s
	}
	return all
}

func pageCost(d device.Device) (cost float64, because string) {
	s, known := statements(d)[meaning.RandomPageCost]
	if !known {
		return leastPageCost, fmt.Sprintf("the model of %s has no limit of throughput", d.Name)
	}
	cost = min(max(s.Value, leastPageCost), mostPageCost)
	return cost, fmt.Sprintf("%s: a random read takes %s, %s sequentially", d.Name, microseconds(d.MeanSeconds(device.Read)), device.Ideal(d).Throughput)
}

func readDepth(d device.Device) (depth int, because string) {
	s, known := statements(d)[meaning.ReadDepth]
	if !known {
		return 1, "the model of " + d.Name + " has no latency"
	}
	most := device.Ideal(d).Reads
	if most == 0 {
		return int(s.Value), "the model of " + d.Name + " has no limit of IOPS"
	}
	return int(s.Value), fmt.Sprintf("%s: %s reads a second at most, each takes %s", d.Name, count(most), microseconds(d.MeanSeconds(device.Read)))
}

func microseconds(seconds float64) string {
	return unit.Duration(math.Round(seconds*1e6) * 1000).String()
}
