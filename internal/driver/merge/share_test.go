package merge

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plinth/internal/experiment"
	"plinth/internal/hint"
)

func TestShare(t *testing.T) {
	t.Parallel()
	got, err := Share(experiment.Cell{Workload: "w", Clients: 7, Threads: 4, Rate: 700}, 3)
	want := []experiment.Cell{
		{Workload: "w", Clients: 3, Threads: 2, Rate: 300},
		{Workload: "w", Clients: 2, Threads: 1, Rate: 200},
		{Workload: "w", Clients: 2, Threads: 1, Rate: 200},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestShareProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 20).Draw(t, "generators")
		threads := rapid.IntRange(n, 100).Draw(t, "threads")
		cell := experiment.Cell{Workload: "w", Clients: rapid.IntRange(n, 10_000).Draw(t, "clients"), Threads: threads,
			Rate: rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(0.01, 1e6)).Draw(t, "rate")}
		shares, err := Share(cell, n)
		if err != nil {
			t.Fatal(err)
		}
		again, _ := Share(cell, n)
		if !slices.Equal(shares, again) {
			t.Fatal("the shares are not always the same")
		}
		clients, sumThreads, rate := []int(nil), []int(nil), 0.0
		for _, s := range shares {
			clients, sumThreads, rate = append(clients, s.Clients), append(sumThreads, s.Threads), rate+s.Rate
			if s.Threads < 1 || s.Threads > s.Clients || s.Workload != "w" || s.Rate < 0 || (s.Rate == 0) != (cell.Rate == 0) {
				t.Fatalf("a share is %+v", s)
			}
		}
		if rate != cell.Rate {
			t.Fatalf("the rates add up to %v", rate)
		}
		for _, c := range []struct {
			shares []int
			total  int
		}{{clients, cell.Clients}, {sumThreads, min(cell.Threads, cell.Clients)}} {
			total := 0
			for _, one := range c.shares {
				total += one
			}
			if total != c.total || slices.Max(c.shares)-slices.Min(c.shares) > 1 {
				t.Fatalf("%v is %d, shared out as %v", c.total, total, c.shares)
			}
		}
	})
}

func TestCannotShare(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		cell experiment.Cell
		n    int
		text string
		hint string
	}{
		"no generator":     {experiment.Cell{Clients: 4, Threads: 4}, 0, "there is no load generator", "driver: {at: …}"},
		"too few clients":  {experiment.Cell{Clients: 2, Threads: 2}, 3, "cannot share out 2 clients among 3 load generators", "give at least 3 clients, or name fewer machines as load generators (driver: {at: …})"},
		"too few threads":  {experiment.Cell{Clients: 8, Threads: 1}, 2, "cannot share out 1 thread among 2 load generators", "give at least 2 threads, or name fewer"},
		"threads in vain":  {experiment.Cell{Clients: 1, Threads: 9}, 2, "cannot share out 1 client among", "driver: {at: …}"},
		"a single machine": {experiment.Cell{Clients: 1, Threads: 1}, 1, "", ""},
	} {
		_, err := Share(c.cell, c.n)
		if c.text == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.text) || !strings.Contains(hint.Of(err), c.hint) {
			t.Errorf("%s: %v (%s)", name, err, hint.Of(err))
		}
	}
}

func TestShareTransactions(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 10).Draw(t, "generators")
		clients := rapid.IntRange(n, 200).Draw(t, "clients")
		shares, err := Share(experiment.Cell{Clients: clients, Threads: clients}, n)
		if err != nil {
			t.Fatal(err)
		}
		total := rapid.Int64Range(int64(clients), 1e15).Draw(t, "transactions")
		numbers, err := ShareTransactions(total, shares)
		if err != nil {
			t.Fatal(err)
		}
		sum := int64(0)
		for i, one := range numbers {
			sum += one
			each := total / int64(clients)
			if one < each*int64(shares[i].Clients) || one > (each+1)*int64(shares[i].Clients) {
				t.Fatalf("%d transactions for %d of %d clients, %d for all", one, shares[i].Clients, clients, total)
			}
		}
		if sum != total {
			t.Fatalf("%d transactions became %d", total, sum)
		}
		if _, err := ShareTransactions(int64(clients)-1, shares); err == nil || !strings.Contains(hint.Of(err), "transactions") {
			t.Fatalf("too few transactions: %v", err)
		}
	})
}
