// Package fiojson has the parts of fio's JSON that plinth uses (--output-format=json and json+), for
// releases 2.0 to 3.x. Source: show_thread_status_json and add_ddir_status_json in fio's stat.c.
package fiojson

import "encoding/json"

// Output is the document that one invocation of fio prints.
type Output struct {
	Version string  `json:"fio version"` // "fio-3.36"
	Global  Options `json:"global options"`
	Jobs    []Job   `json:"jobs"`
	Disks   []Disk  `json:"disk_util"`
}

// Options are options by name, as the job file has them.
type Options map[string]string

// UnmarshalJSON reads options whose values are not strings, too.
func (o *Options) UnmarshalJSON(text []byte) error {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(text, &values); err != nil {
		return err
	}
	*o = Options{}
	for name, raw := range values {
		var value string
		if json.Unmarshal(raw, &value) != nil {
			value = string(raw)
		}
		(*o)[name] = value
	}
	return nil
}

// Job is one job, or those that group_reporting added up.
type Job struct {
	Name    string     `json:"jobname"`
	Error   int        `json:"error"`     // an errno
	Start   int64      `json:"job_start"` // milliseconds since 1970; newer releases only
	Options Options    `json:"job options"`
	User    float64    `json:"usr_cpu"` // per cent of the job's time
	System  float64    `json:"sys_cpu"` // per cent of the job's time
	Read    Direction  `json:"read"`
	Write   Direction  `json:"write"`
	Trim    Direction  `json:"trim"`
	Mixed   *Direction `json:"mixed"` // with unified_rw_reporting, instead of the others
	Sync    struct {
		Operations int64   `json:"total_ios"`
		Latency    Latency `json:"lat_ns"`
	} `json:"sync"` // releases 3.x, but not the first ones
}

// Direction sums up the reads, writes or trims of a job.
type Direction struct {
	Operations int64   `json:"total_ios"` // not in 2.0 and 2.1
	Bytes      int64   `json:"io_bytes"`  // KiB in releases that have no io_kbytes
	KiB        *int64  `json:"io_kbytes"` // from 2.99 on: issue 378 of axboe/fio
	BytesRate  float64 `json:"bw_bytes"`  // bytes/s; since November 2017: pull request 487
	KiBRate    float64 `json:"bw"`        // KiB/s in every release
	IOPS       float64 `json:"iops"`
	Runtime    int64   `json:"runtime"` // milliseconds

	Latency    Latency `json:"lat_ns"`  // from the start of submission to completion
	Completion Latency `json:"clat_ns"` // from submission to completion

	OldCompletion Latency `json:"clat"` // clat_ns before release 3.0, in microseconds
}

// Latency is a distribution of durations, in nanoseconds.
type Latency struct {
	Count       int64            `json:"N"` // newer releases only
	Min         float64          `json:"min"`
	Max         float64          `json:"max"`
	Mean        float64          `json:"mean"`
	Stddev      float64          `json:"stddev"`
	Percentiles map[string]int64 `json:"percentile"` // by share: "99.000000"; "0.00" is a filler
	Bins        map[string]int64 `json:"bins"`       // json+: counts by duration
}

// Disk is the activity of a block device during all jobs.
type Disk struct {
	Name        string  `json:"name"`
	ReadIOs     int64   `json:"read_ios"`
	WriteIOs    int64   `json:"write_ios"`
	ReadMerges  int64   `json:"read_merges"`
	WriteMerges int64   `json:"write_merges"`
	ReadTicks   int64   `json:"read_ticks"` // milliseconds
	WriteTicks  int64   `json:"write_ticks"`
	InQueue     int64   `json:"in_queue"`
	Util        float64 `json:"util"` // per cent
}
