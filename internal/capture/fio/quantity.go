package fio

import (
	"regexp"
	"strconv"
	"strings"
)

// quantity is a number as num2str prints it. Source: lib/num2str.c.
type quantity struct {
	value float64
	step  float64 // of the last printed digit
}

var number = regexp.MustCompile(`^(\d+(?:\.\d+)?)([kKMGTPE]?)(i?)(B|bit|b)?$`)

const letters = "KMGTPE"

// parse reads a number. Without i, a letter stands for a power of base.
func parse(text string, base float64) (quantity, bool) {
	match := number.FindStringSubmatch(text)
	if match == nil {
		return quantity{}, false
	}
	value, err := strconv.ParseFloat(match[1], 64)
	if err != nil {
		return quantity{}, false
	}
	q := quantity{value, 1}
	if _, decimals, found := strings.Cut(match[1], "."); found {
		for range decimals {
			q.step /= 10
		}
	}
	if match[3] == "i" {
		base = 1024
	}
	for range strings.Index(letters, strings.ToUpper(match[2])) + len(match[2]) {
		q.value, q.step = q.value*base, q.step*base
	}
	if strings.HasPrefix(match[4], "b") {
		q.value, q.step = q.value/8, q.step/8
	}
	return q, true
}

// blockSize returns the size of each request in bytes from what a text prints of bs; 0 if it is not the
// same for all, or rounded.
func blockSize(text, rw string) int64 {
	sizes := ranges.FindAllStringSubmatch(text, -1)
	var size int64
	for i, match := range sizes {
		if i == 0 && !reads(rw) || i == 1 && !writes(rw) || i == 2 && !strings.Contains(rw, "trim") || i > 2 {
			continue
		}
		low, exact := exactSize(match[1])
		if match[1] != match[2] || !exact || size != 0 && low != size {
			return 0
		}
		size = low
	}
	return size
}

var ranges = regexp.MustCompile(`(\d[\d.]*[kKMGT]?i?B?)-(\d[\d.]*[kKMGT]?i?B?)`)

// exactSize parses a size, and reports whether it can be exact: "4096B", "16.0KiB" and "128KiB" can,
// "977KiB" is rounded.
func exactSize(text string) (int64, bool) {
	base := 1024.0
	if strings.HasSuffix(text, "B") && !strings.HasSuffix(text, "KB") && !strings.HasSuffix(text, "MB") {
		base = 1000
	}
	q, ok := parse(text, base)
	n := int64(q.value)
	exact := q.step == 1 || n&(n-1) == 0 || strings.Contains(text, ".0")
	return n, ok && exact
}

func reads(rw string) bool {
	return strings.Contains(rw, "read") || strings.HasSuffix(rw, "rw")
}

func writes(rw string) bool {
	return strings.Contains(rw, "write") || strings.HasSuffix(rw, "rw")
}
