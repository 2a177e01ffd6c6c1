package postgres

import (
	"fmt"
	"time"

	"plinth/internal/record"
)

// Medians of a round trip that are closer than this are alike. On one machine the
// kernel alone makes that of one server three times that of another: which CPUs
// their processes sleep on, and who else is awake.
const (
	roundTripApart     = 50 * time.Microsecond
	roundTripApartHere = 500 * time.Microsecond
)

// roundTrips tells of medians that are more than twice apart, and more than what is
// alike.
func roundTrips(a, b record.Environment) string {
	low, high := min(a.RoundTrip, b.RoundTrip), max(a.RoundTrip, b.RoundTrip)
	least := roundTripApart
	if noNetwork(a, b) {
		least = roundTripApartHere
	}
	if high <= 2*low || high-low <= float64(least) {
		return ""
	}
	text := func(e record.Environment) string {
		return time.Duration(e.RoundTrip).Round(time.Microsecond).String()
	}
	return fmt.Sprintf("round trip of an empty query: %s / %s", text(a), text(b))
}

func roundTripHint(a, b record.Environment) string {
	if noNetwork(a, b) {
		return "no network is between: look for what else uses the CPUs, and for a limit that one of the servers has"
	}
	return "a network is part of what is measured: compare servers that are equally far away"
}

// noNetwork says whether both are reached by sockets. An address of the machine
// itself says nothing: a tunnel may begin there.
func noNetwork(a, b record.Environment) bool {
	return a.Transport == "socket" && b.Transport == "socket"
}
