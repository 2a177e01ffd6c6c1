package fio

import (
	"strconv"
	"strings"

	"plinth/internal/fiojson"
)

// mergeOptions returns the options of a job; nil if the document has none, as in releases before 2.10.
func mergeOptions(global, job fiojson.Options) map[string]string {
	if global == nil && job == nil {
		return nil
	}
	all := map[string]string{}
	for _, options := range []fiojson.Options{global, job} {
		for name, value := range options {
			if !secret(name) {
				all[name] = value
			}
		}
	}
	return all
}

// secret reports whether an option is a password or a key, such as http_pass and http_s3_key.
func secret(name string) bool {
	return strings.HasPrefix(name, "http_") && name != "http_mode" && name != "http_host" || strings.Contains(name, "password")
}

// jobsOf returns how many jobs an entry adds up; 0 if that is unknown. fio does not list the option
// group_reporting in every release: without it there is an entry for each of numjobs, with it one.
func jobsOf(options map[string]string, entries int, cut bool) int {
	jobs := count(options["numjobs"], 1)
	grouping, listed := options["group_reporting"]
	switch {
	case listed && grouping != "0", jobs == 1, entries == 1 && !cut:
		return jobs
	case entries%max(jobs, 1) == 0:
		return 1
	}
	return 0
}

// count parses an option that is a number; missing is the value of an option that was not set, 0 that
// of one that is not a number.
func count(text string, missing int) int {
	if text == "" {
		return missing
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// defaultBlock is fio's block size if no option sets one.
const defaultBlock = 4096

// blockOption returns the size of each request; 0 if it is not the same for all. Options are named as in
// options.c; a size without i has a power of 1024 (kb_base).
func blockOption(options map[string]string) int64 {
	for _, name := range []string{"bssplit", "bsrange", "blocksize_range", "bs_unaligned", "kb_base", "zonemode"} {
		if _, found := options[name]; found {
			return 0
		}
	}
	text := options["bs"]
	if text == "" {
		text = options["blocksize"]
	}
	if text == "" {
		return defaultBlock
	}
	sizes := strings.Split(text, ",")
	var size int64
	for i, one := range sizes[:min(len(sizes), 2)] {
		if one == "" {
			continue
		}
		q, ok := parse(sizeText(one), 1024)
		if !ok || i > 0 && int64(q.value) != size {
			return 0
		}
		size = int64(q.value)
	}
	return size
}

// sizeText spells a size of a job file as num2str does: "4kb" and "4kib" are "4K".
func sizeText(text string) string {
	text = strings.ToUpper(strings.TrimSpace(text))
	return strings.TrimSuffix(strings.TrimSuffix(text, "B"), "I")
}
