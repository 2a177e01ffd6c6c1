package device

import "plinth/internal/unit"

// gp3Steps is the published way of a durable write through gp3: 950 to 3,120 us in
// all by the article, whose steps add up to 951 to 3,151.
func gp3Steps() []Step {
	return []Step{
		{"write() call", micros(1), micros(1), selection},
		{"kernel, submit", micros(5), micros(5), selection},
		{"card: encrypt", micros(3), micros(3), selection},
		{"card: make packets", micros(2), micros(2), selection},
		{"network to the storage server", micros(200), micros(800), selection},
		{"flash write", micros(30), micros(30), selection},
		{"replication", micros(500), micros(1500), selection},
		{"acknowledge", micros(5), micros(5), selection},
		{"network back", micros(200), micros(800), selection},
		{"card: interrupt", micros(3), micros(3), selection},
		{"kernel, completion", micros(2), micros(2), selection},
	}
}

// networkSteps is the way through another network volume: the steps that gp3's has
// too, and the rest of the median, of which nobody published how it divides.
func networkSteps(median unit.Duration) []Step {
	rest := median - micros(51)
	return []Step{
		{"write() call", micros(1), micros(1), selection},
		{"kernel, submit", micros(5), micros(5), selection},
		{"card: encrypt, make packets", micros(5), micros(5), selection},
		{"network both ways, and replication", rest, rest, assumption},
		{"flash write, acknowledge", micros(35), micros(35), selection},
		{"card: interrupt", micros(3), micros(3), selection},
		{"kernel, completion", micros(2), micros(2), selection},
	}
}
