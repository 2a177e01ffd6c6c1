package placing

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/cli/base"
	"plinth/internal/cost"
	"plinth/internal/device"
	"plinth/internal/engine/postgres/relation"
	"plinth/internal/hint"
	"plinth/internal/placement"
	"plinth/internal/price"
	"plinth/internal/unit"
)

// placeChoice holds the stores, the goal and the prices from which a layout is chosen.
type placeChoice struct {
	stores []placement.Store
	goal   placement.Goal
	own    map[string]float64 // prices a month that were stated, by store
	book   *price.Book
	region *price.Region
	note   string // where prices are from
}

func (f placeFlags) choice() (*placeChoice, error) {
	c := &placeChoice{goal: placement.Goal{Objective: placement.LeastTime, Budget: f.budget}, own: map[string]float64{}}
	for _, text := range f.stores {
		if err := c.add(text); err != nil {
			return nil, err
		}
	}
	if f.target != "" {
		target, err := unit.ParseDuration(f.target)
		if err != nil || target == 0 {
			return nil, hint.Errorf("write a time with its unit: --target 300us", "--target: %q is not a time", f.target)
		}
		c.goal.Target = target.Std()
		if f.budget == 0 {
			c.goal.Objective = placement.LeastDollars
		}
	}
	if len(c.stores) == 0 {
		return c, nil
	}
	return c, c.priced(f)
}

// priced finds the price book.
func (c *placeChoice) priced(f placeFlags) (err error) {
	books, err := base.OwnBook(f.prices)
	if err != nil {
		return err
	}
	if c.book = books.Own; c.book == nil {
		if c.book, err = price.Find(price.Today); err != nil {
			return err
		}
	}
	region := cmp.Or(f.region, c.book.DefaultRegion())
	if region == "" {
		return hint.Errorf("add --region", "the price book %s has several regions", c.book.Name)
	}
	if c.region, err = c.book.Region(region); err != nil {
		return err
	}
	c.note = fmt.Sprintf("Prices: book %s, %s, of %s. Unused stores cost nothing.", c.book.Name, region, c.book.Date)
	return nil
}

const storeHint = "write --storage NAME=DEVICE[,SIZE], such as cold=gp3,500GiB; plinth devices lists the devices"

var storeName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$`)

// add parses one --storage.
func (c *placeChoice) add(text string) error {
	name, rest, found := strings.Cut(text, "=")
	if !found || !storeName.MatchString(name) {
		return hint.Errorf(storeHint, "--storage: %q has no valid name", text)
	}
	words := strings.Split(rest, ",")
	e, err := base.FindDevice(words[0])
	if err != nil {
		return hint.Wrap(fmt.Errorf("--storage %s: %w", name, err), hint.Of(err))
	}
	s, limits := placement.Store{Name: name, Device: e.Device}, device.Options{}
	for _, word := range words[1:] {
		if err == nil {
			err = c.option(&s, &limits, word)
		}
	}
	if err == nil && limits != (device.Options{}) {
		s.Device, err = device.Configure(words[0], limits)
	}
	if err != nil {
		return hint.Wrap(fmt.Errorf("--storage %s: %w", name, err), cmp.Or(hint.Of(err), storeHint))
	}
	c.stores = append(c.stores, s)
	return nil
}

// option parses one of the words that follow the device of a store: a size, or a word of storeOptions.
func (c *placeChoice) option(s *placement.Store, limits *device.Options, word string) (err error) {
	key, value, given := strings.Cut(word, "=")
	if parse, known := storeOptions[key]; known && given == (key != "wal") {
		return parse(c, s, limits, value)
	}
	if given || word == "" {
		return fmt.Errorf("unknown option %q", word)
	}
	s.Capacity, err = unit.ParseSize(word)
	return err
}

// refusable are the kinds of objects that a store may refuse.
var refusable = map[string][]string{
	placement.WAL: {placement.WAL}, placement.Temp: {placement.Temp}, relation.Index: {relation.Index},
	relation.Table: {relation.Table, relation.Partition, relation.MatView},
}

// storeOptions are the words that a store may have; all but wal have a value.
var storeOptions = map[string]func(c *placeChoice, s *placement.Store, limits *device.Options, value string) error{
	"wal": func(_ *placeChoice, s *placement.Store, _ *device.Options, _ string) error {
		s.WAL = true
		return nil
	},
	"holds": func(_ *placeChoice, s *placement.Store, _ *device.Options, value string) error {
		if value == "" {
			return errors.New("holds: the name of a tablespace is missing")
		}
		s.Tablespaces = append(s.Tablespaces, value)
		return nil
	},
	"not": func(_ *placeChoice, s *placement.Store, _ *device.Options, value string) error {
		kinds, known := refusable[value]
		if !known {
			names := slices.Sorted(maps.Keys(refusable))
			return hint.Errorf(hint.DidYouMean(value, names, "it can be "+hint.Choice(names)), "not: unknown value %q", value)
		}
		s.Refuses = append(s.Refuses, kinds...)
		return nil
	},
	"dir": func(_ *placeChoice, s *placement.Store, _ *device.Options, value string) error {
		if !strings.HasPrefix(value, "/") {
			return fmt.Errorf("dir: %q is not an absolute path", value)
		}
		s.Location = value
		return nil
	},
	"copy": func(_ *placeChoice, s *placement.Store, _ *device.Options, value string) (err error) {
		if s.CopyRate, err = unit.ParseRate(value); err == nil && s.CopyRate == 0 {
			err = errors.New("copy: the rate is 0")
		}
		return err
	},
	"iops": func(_ *placeChoice, _ *placement.Store, limits *device.Options, value string) error {
		return base.LimitOptions["iops"](limits, value)
	},
	"throughput": func(_ *placeChoice, _ *placement.Store, limits *device.Options, value string) error {
		return base.LimitOptions["throughput"](limits, value)
	},
	"usd": func(c *placeChoice, s *placement.Store, _ *device.Options, value string) error {
		usd, err := strconv.ParseFloat(value, 64)
		if err != nil || !(usd >= 0 && usd < 1e12) {
			return hint.Errorf("write dollars a month: usd=40", "%q is not a price", value)
		}
		c.own[s.Name] = usd
		return nil
	},
}

// fill gives the first store the WAL and all tablespaces that no store holds.
func (c *placeChoice) fill(all []relation.Tablespace) {
	first := &c.stores[0]
	if !slices.ContainsFunc(c.stores, func(s placement.Store) bool { return s.WAL }) {
		first.WAL = true
	}
	for _, t := range all {
		held := slices.ContainsFunc(c.stores, func(s placement.Store) bool { return slices.Contains(s.Tablespaces, t.Name) })
		if !held && t.Name != "pg_global" {
			first.Tablespaces = append(first.Tablespaces, t.Name)
		}
	}
	// New objects go to the first tablespace of a store: to pg_default, if it is there.
	for i := range c.stores {
		slices.SortStableFunc(c.stores[i].Tablespaces, func(a, b string) int {
			return boolean(b == "pg_default") - boolean(a == "pg_default")
		})
	}
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

// price returns the price of a store: as stated, or of a volume of its capacity, or of one that the
// data fills to the share that may be used.
func (c *placeChoice) price(s placement.Store, data unit.Size) (usd float64, known bool) {
	if usd, stated := c.own[s.Name]; stated {
		return usd, true
	}
	if c.book.Currency != "USD" {
		return 0, false
	}
	size := s.Capacity
	if size == 0 {
		size = unit.Size(float64(data) / float64(placement.ShareOfCapacity))
	}
	month := cost.Disk(c.book, c.region, s.Device, size)
	return float64(month), month.Known()
}
