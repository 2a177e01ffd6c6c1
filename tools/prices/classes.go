package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// classFamilies are the families of database classes in the book.
var classFamilies = strings.Fields("db.t3 db.t4g db.m6i db.m7g db.r6i db.r6g db.r7g")

// class is the part of an entry of rds-instances.json with its prices, in dollars per hour, by region and
// engine. For Aurora, the engine's name has either the price of Standard or that of I/O-Optimized; the
// engine's codes tell them apart.
type class struct {
	Name    string                                `json:"instance_type"`
	Regions map[string]map[string]json.RawMessage `json:"pricing"`
}

// engine tells which price of a class is that of a service.
type engine struct {
	key    string // of the price
	offers string // the engine that the class must have in the region
}

// engines has the engines by service.
var engines = map[string]engine{
	"rds-postgresql":                 {"PostgreSQL", "PostgreSQL"},
	"aurora-postgresql":              {"21", "Aurora PostgreSQL"},
	"aurora-postgresql-io-optimized": {"211", "Aurora PostgreSQL"},
}

func readClasses() ([]class, error) {
	var all []class
	if err := readWide("rds-instances.json", &all); err != nil {
		return nil, err
	}
	return all, nil
}

// classHours returns the prices on demand, in a single zone, of a service in a region.
func classHours(all []class, region, service string) (string, error) {
	e := engines[service]
	hours := map[string]float64{}
	for _, c := range all {
		prices := c.Regions[region]
		if _, offered := prices[e.offers]; !offered || prices[e.key] == nil {
			continue
		}
		var hour struct {
			OnDemand float64 `json:"ondemand"`
		}
		if err := json.Unmarshal(prices[e.key], &hour); err != nil {
			return "", fmt.Errorf("%s in %s: %w", c.Name, region, err)
		}
		hours[c.Name] = hour.OnDemand
	}
	return list(hours, classFamilies), nil
}
