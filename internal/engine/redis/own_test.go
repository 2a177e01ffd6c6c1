//go:build linux

package redis

import (
	"fmt"
	"testing"
)

func TestTry(t *testing.T) {
	for _, program := range testPrograms(t) {
		t.Run(program.Name+"-"+program.VersionText, func(t *testing.T) {
			own := startOwn(t, ownConfig(t, "appendonly", "yes", "save", "3600 1 300 100", "maxmemory", "1gb", "client-output-buffer-limit", "normal 0 0 0 slave 256mb 64mb 60"), program)
			must(t, own.Load(t.Context(), nil))
			must(t, own.Checkpoint(t.Context()))
			e, err := own.Describe(t.Context())
			must(t, err)
			fmt.Println(e.Server, e.Version, e.VersionN, e.RoundTrip, e.Dataset, len(e.Settings), e.Warnings)
			a, err := own.Activity(t.Context())
			must(t, err)
			fmt.Println(a)
			must(t, own.Stop(t.Context()))
			must(t, own.Start(t.Context()))
			must(t, own.Check(t.Context()))
			fmt.Println(own.client.DBSize(t.Context()))
		})
	}
}
