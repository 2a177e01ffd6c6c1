package redis

import (
	"math"
	"strconv"
	"strings"
)

// eachField tells the fields of an answer to INFO in their order: "used_memory" and
// "1144256". The texts are parts of the answer: nothing is copied. Headings, empty
// lines and what is no field are left out. https://redis.io/docs/latest/commands/info/
func eachField(answer string, take func(name, value string)) {
	for len(answer) > 0 {
		line := answer
		if end := strings.IndexByte(answer, '\n'); end >= 0 {
			line, answer = answer[:end], answer[end+1:]
		} else {
			answer = ""
		}
		line = strings.TrimSuffix(line, "\r")
		name, value, found := strings.Cut(line, ":")
		if found && name != "" && name[0] != '#' {
			take(name, value)
		}
	}
}

// part is one of the values of a field that has several: "calls" of
// "calls=7,usec=12,usec_per_call=1.71"; "" where there is none of that name.
func part(value, name string) string {
	for len(value) > 0 {
		one, rest, _ := strings.Cut(value, ",")
		if key, v, found := strings.Cut(one, "="); found && key == name {
			return v
		}
		value = rest
	}
	return ""
}

// number is a value that is one, NaN else. An infinite one is none: no field has that.
func number(value string) float64 {
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsInf(v, 0) {
		return math.NaN()
	}
	return v
}
