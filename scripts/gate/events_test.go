package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestDecode checks that the JSON of go test becomes outcomes, in the order in which tests end.
// The outcome of a package that a crash or the time limit ended has the output of the tests that
// were running.
func TestDecode(t *testing.T) {
	const printed = `{"Action":"start","Package":"plinth/internal/unit"}
{"Action":"run","Package":"plinth/internal/unit","Test":"TestA"}
{"Action":"output","Package":"plinth/internal/unit","Test":"TestA","Output":"    a_test.go:3: got 1, want 2\n"}
{"Action":"run","Package":"plinth/internal/unit","Test":"TestB"}
{"Action":"pass","Package":"plinth/internal/unit","Test":"TestB","Elapsed":0.5}
{"Action":"fail","Package":"plinth/internal/unit","Test":"TestA","Elapsed":1}
{"Action":"output","Package":"plinth/internal/unit","Output":"FAIL\n"}
{"Action":"fail","Package":"plinth/internal/unit","Elapsed":1.5}
{"ImportPath":"plinth/internal/hint","Action":"build-output","Output":"hint.go:1: syntax error\n"}
{"Action":"fail","Package":"plinth/internal/hint","Elapsed":0,"FailedBuild":"plinth/internal/hint"}
not JSON: go itself has something to say
{"Action":"skip","Package":"plinth/internal/unit","Test":"TestC","Elapsed":0}
{"Action":"output","Package":"plinth/internal/cli","Test":"TestD","Output":"panic: test timed out\n"}
{"Action":"output","Package":"plinth/internal/awake","Test":"TestE","Output":"goes on\n"}
{"Action":"output","Package":"plinth/internal/cli","Output":"FAIL\n"}
{"Action":"fail","Package":"plinth/internal/cli","Elapsed":2}`
	var got []string
	err := decode(strings.NewReader(printed), func(o outcome) {
		got = append(got, fmt.Sprintf("%s %q %s %gs %q", short(o.pkg), o.test, o.result, o.seconds, o.output))
	})
	want := []string{
		`internal/unit "TestB" pass 0.5s ""`,
		`internal/unit "TestA" fail 1s "    a_test.go:3: got 1, want 2\n"`,
		`internal/unit "" fail 1.5s "FAIL\n"`,
		`internal/hint "" fail 0s "hint.go:1: syntax error\n"`,
		`internal/unit "TestC" skip 0s ""`,
		`internal/cli "" fail 2s "FAIL\nTestD did not end:\npanic: test timed out\n"`,
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, got\n%s\nwant\n%s", err, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
