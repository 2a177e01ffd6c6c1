package merge

import (
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/unit"
)

// fewer is the end of the hints: what else helps if a load cannot be shared out.
const fewer = ", or name fewer machines as load generators (driver: {at: …})"

// Share divides the load of a cell among n load generators: clients and threads as evenly as
// possible, the rate in proportion to the clients, so that each client has the same load, as with
// a single load generator. The shares add up to the cell's load exactly; threads beyond the number
// of clients do not count, because they would have no client.
//
// Each load generator has at least one client and one thread, and no more threads than clients;
// a cell that cannot be divided in this way is an error.
func Share(cell experiment.Cell, n int) ([]experiment.Cell, error) {
	threads := min(cell.Threads, cell.Clients)
	switch {
	case n < 1:
		return nil, hint.Errorf("name a machine as load generator (driver: {at: …})", "cannot share out the load: there is no load generator")
	case cell.Clients < n:
		return nil, hint.Errorf("give at least "+unit.Count(n, "client")+fewer,
			"cannot share out %s among %s: each needs one", unit.Count(cell.Clients, "client"), unit.Count(n, "load generator"))
	case threads < n:
		return nil, hint.Errorf("give at least "+unit.Count(n, "thread")+fewer,
			"cannot share out %s among %s: each needs one", unit.Count(threads, "thread"), unit.Count(n, "load generator"))
	}
	shares := make([]experiment.Cell, n)
	used := 0.0
	for i := range shares {
		s := cell
		s.Clients, s.Threads = even(cell.Clients, n, i), even(threads, n, i)
		s.Rate = cell.Rate * float64(s.Clients) / float64(cell.Clients)
		if i == n-1 {
			s.Rate = cell.Rate - used // without a rounding error in the sum
		}
		used += s.Rate
		shares[i] = s
	}
	return shares, nil
}

// even returns the share of the i-th of n: the first ones have one more than the others.
func even(total, n, i int) int {
	share := total / n
	if i < total%n {
		share++
	}
	return share
}

// ShareTransactions divides a number of transactions among the shares of a cell, in proportion to
// their clients. The numbers add up to the total. pgbench, which rounds up to the same number for
// each client, may run up to one more per client.
func ShareTransactions(total int64, shares []experiment.Cell) ([]int64, error) {
	clients := int64(0)
	for _, s := range shares {
		clients += int64(s.Clients)
	}
	if total < clients || clients == 0 {
		return nil, hint.Errorf("give at least one for each client (transactions)",
			"cannot share out %d transactions among %d clients", total, clients)
	}
	numbers := make([]int64, len(shares))
	each, rest := total/clients, total%clients
	before, counted := int64(0), int64(0)
	for i, s := range shares {
		counted += int64(s.Clients)
		until := each*counted + rest*counted/clients
		numbers[i], before = until-before, until
	}
	return numbers, nil
}
