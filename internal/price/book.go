// Package price has price books: what cloud volumes, instances and managed databases cost in a region
// on a date, each price with its source. A book comes with the program or from a user's file. A price
// that a book does not have is unknown; it is never taken for zero.
package price

import (
	"math"
	"time"
)

// Schema is the schema of a book.
const Schema = "plinth/prices/v1"

// HoursInMonth is how many hours a month has unless a book says otherwise, as AWS calculates.
const HoursInMonth = 730

// Book is a list of prices. Its yaml tags define the file.
type Book struct {
	Schema string `yaml:"schema" json:"schema"`
	Name   string `yaml:"name" json:"name"`   // short: "aws"
	Title  string `yaml:"title" json:"title"` // "Amazon Web Services, list prices"
	// Date is the day on which the newest prices held: "2026-11-01". Older ones have sources of their own
	// date.
	Date     string             `yaml:"date" json:"date"`
	Currency string             `yaml:"currency" json:"currency"` // "USD"
	Hours    float64            `yaml:"hours" json:"hours"`       // in a month
	Sources  map[string]Source  `yaml:"sources" json:"sources"`   // by the names that the prices refer to
	Regions  map[string]*Region `yaml:"regions" json:"regions"`
	Notes    []string           `yaml:"notes" json:"notes,omitempty"` // what to know about the prices
}

// Source is where prices are from.
type Source struct {
	Title  string `yaml:"title" json:"title"`
	Author string `yaml:"author" json:"author,omitempty"`
	Date   string `yaml:"date" json:"date,omitempty"` // of its publication, or as of which its content is known
}

// String returns the citation: "Amazon Web Services, Amazon EBS pricing (2026-11-01)".
func (s Source) String() string {
	text := s.Title
	if s.Author != "" {
		text = s.Author + ", " + text
	}
	if s.Date != "" {
		text += " (" + s.Date + ")"
	}
	return text
}

// Region has the prices of one region.
type Region struct {
	Instances Hourly              `yaml:"instances" json:"instances,omitzero"`     // virtual machines on demand, by type
	Terms     map[string]Term     `yaml:"terms" json:"terms,omitempty"`            // other terms than on demand: "spot"
	Volumes   map[string]Volume   `yaml:"volumes" json:"volumes,omitempty"`        // by type: "gp3"; "snapshot" for snapshots
	Surplus   Surplus             `yaml:"surplus_credits" json:"surplus,omitzero"` // CPU credits of unlimited mode
	Databases map[string]Database `yaml:"databases" json:"databases,omitempty"`    // managed databases: "rds-postgresql"
}

// Hourly has prices per hour.
type Hourly struct {
	Source string            `yaml:"source" json:"source"`
	Hour   map[string]Amount `yaml:"hour" json:"hour"`
}

// Term is a way to pay for instances: a share off the price on demand, or prices of its own.
type Term struct {
	Source   string            `yaml:"source" json:"source"`
	Discount float64           `yaml:"discount" json:"discount,omitempty"` // from 0 to less than 1
	Hour     map[string]Amount `yaml:"hour" json:"hour,omitempty"`         // by type; it takes precedence
}

// Surplus has prices of surplus CPU credits, in vCPU-hours, by family: "t3", "db.t3".
type Surplus struct {
	Source   string            `yaml:"source" json:"source"`
	VCPUHour map[string]Amount `yaml:"vcpu_hour" json:"vcpu_hour"`
}

// Volume has the prices of a type of volume, per month. A gigabyte is that of the vendor: at AWS,
// 1 GiB.
type Volume struct {
	Source     string     `yaml:"source" json:"source"`
	GB         *Amount    `yaml:"gb" json:"gb"`
	IOPS       []Tier     `yaml:"iops" json:"iops,omitempty"`             // per provisioned IOPS
	Throughput []Tier     `yaml:"throughput" json:"throughput,omitempty"` // per provisioned MiB/s
	MillionIOs *Amount    `yaml:"million_ios" json:"million_ios,omitempty"`
	Included   []Included `yaml:"included" json:"included,omitempty"`
	Note       string     `yaml:"note" json:"note,omitempty"`
}

// Tier is a marginal price: of each unit above Above, up to the next tier.
type Tier struct {
	Above float64 `yaml:"above" json:"above"`
	Price Amount  `yaml:"price" json:"price"`
}

// Included holds the IOPS and the throughput that a volume from a size on has without an extra price,
// instead of those below the first tier.
type Included struct {
	FromGB     float64 `yaml:"from_gb" json:"from_gb"`
	IOPS       float64 `yaml:"iops" json:"iops"`
	Throughput float64 `yaml:"throughput" json:"throughput"`
}

// Database has the prices of a managed database.
type Database struct {
	Title   string            `yaml:"title" json:"title"`
	Source  string            `yaml:"source" json:"source"`
	Hour    map[string]Amount `yaml:"hour" json:"hour,omitempty"`         // by class: "db.m6i.large"
	ACUHour *Amount           `yaml:"acu_hour" json:"acu_hour,omitempty"` // of an Aurora capacity unit
	Volumes map[string]Volume `yaml:"volumes" json:"volumes,omitempty"`   // "gp3"; "cluster" for Aurora's
	Note    string            `yaml:"note" json:"note,omitempty"`
}

// day returns the day on which the prices held.
func (b *Book) day() time.Time {
	day, _ := time.Parse(time.DateOnly, b.Date)
	return day
}

// mostAge is the age from which prices are doubtful.
const mostAge = 365 * 24 * time.Hour

// Old reports whether all prices of a book are older than a year; see OldSources.
func (b *Book) Old(now time.Time) bool { return now.Sub(b.day()) > mostAge }

func isNumber(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
