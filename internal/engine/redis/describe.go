package redis

import (
	"context"
	"fmt"
	"maps"
	"strings"

	goredis "github.com/redis/go-redis/v9"

	"plinth/internal/engine"
	"plinth/internal/engine/redis/client"
	"plinth/internal/engine/redis/conf"
	"plinth/internal/record"
)

// describe reads the actual state of the system under test. It describes the dataset as it was
// right after the load.
func (d *database) describe(ctx context.Context, kind string) (record.Environment, client.Info, error) {
	e := record.Environment{
		Schema: record.EnvironmentSchema, Name: d.Environment.Name, Kind: kind,
		Generator: "this machine", Declared: declared(d.Experiment.SettingsOf(d.Environment)),
	}
	if keys := d.Environment.Dataset; keys.Keys > 0 {
		e.Declared[engine.DeclaredDataset] = fmt.Sprintf("%d keys of %s", keys.Keys, decimal(int64(d.keys().Size)))
	}
	f, err := d.Info(ctx)
	if err == nil {
		e.RoundTrip, err = d.roundTrip(ctx)
	}
	if err != nil {
		return e, f, fmt.Errorf("cannot describe the server: %w", err)
	}
	program, text, number := f.Version()
	e.Server, e.Version, e.VersionN = client.Titles[program], text, number
	e.Transport, e.Address = client.Transport(d.Options)
	if e.Settings, err = d.settings(ctx); err != nil {
		if ctx.Err() != nil {
			return e, f, ctx.Err()
		}
		e.Warnings = append(e.Warnings, record.Note{Rule: "settings-unknown",
			Text: fmt.Sprintf("the server's settings cannot be read (%v): its persistence is known only from INFO", err),
			Hint: "grant the user CONFIG GET"})
	}
	if newest := newestVersions[program]; number/10000 > newest {
		e.Warnings = append(e.Warnings, record.Note{Rule: "unknown-version",
			Text: fmt.Sprintf("%s %s is newer than %d, the newest version that plinth was tested with", e.Server, text, newest)})
	}
	if d.loaded {
		e.Dataset = d.dataset
		e.Dataset.Loaded, e.Dataset.Duration, e.Dataset.Tables = d.loadTime.UTC(), d.loadDuration.Seconds(), []record.Table{}
		if e.Dataset.Duration > 0 {
			e.Dataset.RowsPerSecond = float64(e.Dataset.Rows) / e.Dataset.Duration
		}
	}
	e.Warnings = append(e.Warnings, d.evictions(f, e.Settings)...)
	return e, f, nil
}

// evictions returns warnings about keys that are evicted.
func (d *database) evictions(f client.Info, settings map[string]string) []record.Note {
	most, policy := f.Number("maxmemory"), f["maxmemory_policy"]
	if most == 0 || policy == "noeviction" || d.dataset.Rows == 0 {
		return nil
	}
	text := fmt.Sprintf("maxmemory is %s with %s: the server evicts keys of the dataset at this limit", decimal(most), policy)
	if gone := f.Number("evicted_keys"); gone > 0 {
		text = fmt.Sprintf("maxmemory is %s with %s: %d keys had been evicted by the end of the load", decimal(most), policy, gone)
	}
	note := record.Note{Rule: "eviction", Text: text, Hint: "raise maxmemory, or load less data, unless eviction is intended, as with a cache"}
	if settings["appendonly"] == "yes" {
		note.Text += "; each eviction is also written to the append-only file"
	}
	return []record.Note{note}
}

// settings returns all settings in force, without secrets.
func (d *database) settings(ctx context.Context) (map[string]string, error) {
	var settings map[string]string
	err := d.Use(ctx, func(rdb *goredis.Client) (err error) {
		settings, err = rdb.ConfigGet(ctx, "*").Result()
		return err
	})
	maps.DeleteFunc(settings, func(name, _ string) bool { return conf.Hidden.MatchString(name) })
	return settings, err
}

// declared returns the declared settings, without secrets, under the names that the server uses.
func declared(settings map[string]string) map[string]string {
	all := map[string]string{}
	for name, value := range settings {
		if !conf.Hidden.MatchString(name) {
			all[strings.ToLower(name)] = value
		}
	}
	return all
}

// roundTrip returns the median time of a PING, in nanoseconds.
func (d *database) roundTrip(ctx context.Context) (took float64, err error) {
	err = d.Use(ctx, func(rdb *goredis.Client) error {
		conn := rdb.Conn()
		defer func() { _ = conn.Close() }()
		took, err = engine.RoundTrip(func() error { return conn.Ping(ctx).Err() })
		return err
	})
	return took, err
}
