package instance

import (
	"math"
	"strings"
	"testing"
)

func TestParseRefuses(t *testing.T) {
	const good = "x.large\t2\t8\tarm64\tprocessor\t1\t2\t3\t4\t5\t6\t1\t100\tnvme-ssd\t5000\t1\n"
	if all, err := parse("# comment\ntitles\n" + good); err != nil || len(all) != 1 || all[0].NUMANodes != 1 {
		t.Fatalf("%v, %v", all, err)
	}
	for want, change := range map[string][2]string{
		"line 3: 15 columns, not 16":                            {"\t100\t", "\t"},
		`line 3: column 2: "two" is not a number from 0 to 1e9`: {"\t2\t8", "\ttwo\t8"},
		`line 3: column 3: "-8" is not a number from 0 to 1e9`:  {"\t8\t", "\t-8\t"},
		`line 3: column 3: "NaN" is not a number from 0 to 1e9`: {"\t8\t", "\tNaN\t"},
		`line 3: column 2: "2.5" is not a whole number`:         {"\t2\t8", "\t2.5\t8"},
		`line 3: there is no kind of drive "tape"`:              {"nvme-ssd", "tape"},
	} {
		_, err := parse("# comment\ntitles\n" + strings.Replace(good, change[0], change[1], 1))
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for line := range strings.Lines(data) {
		if strings.HasPrefix(line, "i3en") || strings.HasPrefix(line, "t") {
			f.Add("titles\n" + line)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		all, err := parse(text)
		if err != nil {
			return
		}
		for _, i := range all {
			if i.VCPUs < 0 || i.Memory < 0 || i.EBS.Baseline.Throughput < 0 || i.Drives.Size < 0 || !(i.CoreMark >= 0) || math.IsInf(i.CoreMark, 0) {
				t.Fatalf("%q is %+v", text, i)
			}
		}
	})
}
