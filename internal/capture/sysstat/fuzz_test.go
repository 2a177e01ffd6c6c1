package sysstat

import (
	"os"
	"strings"
	"testing"

	"plinth/internal/capture"
	"plinth/internal/capture/capturetest"
)

func kind(name string) capture.Kind {
	for _, k := range Kinds() {
		if k.Name == name {
			return k
		}
	}
	panic("there is no kind " + name)
}

func FuzzIostat(f *testing.F)   { capturetest.Fuzz(f, kind("iostat")) }
func FuzzMpstat(f *testing.F)   { capturetest.Fuzz(f, kind("mpstat")) }
func FuzzPidstat(f *testing.F)  { capturetest.Fuzz(f, kind("pidstat")) }
func FuzzSar(f *testing.F)      { capturetest.Fuzz(f, kind("sar")) }
func FuzzSadf(f *testing.F)     { capturetest.Fuzz(f, kind("sadf")) }
func FuzzPairs(f *testing.F)    { capturetest.Fuzz(f, kind("sadf-p")) }
func FuzzDocument(f *testing.F) { capturetest.Fuzz(f, kind("sysstat-json")) }

// BenchmarkRead reads the reports of a fixture again and again.
func BenchmarkRead(b *testing.B) {
	for _, file := range []string{"iostat-x-us.txt", "mpstat.txt", "pidstat.txt", "sar-live.txt", "sadf-d.csv", "sadf-p.txt"} {
		b.Run(file, func(b *testing.B) {
			text, err := os.ReadFile("testdata/" + file)
			if err != nil {
				b.Fatal(err)
			}
			first, reports, _ := strings.Cut(string(text), "\n")
			long := first + "\n" + strings.Repeat(reports, 2000)
			b.SetBytes(int64(len(long)))
			for b.Loop() {
				if _, err := capture.Read(strings.NewReader(long), Kinds()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
