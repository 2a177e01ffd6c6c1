package disk

import (
	"testing"

	"plinth/internal/device"
)

// Every type of volume that can be configured is in the table of limits.
func TestLimitsOfEveryOffer(t *testing.T) {
	offered := 0
	for _, e := range device.Catalog() {
		if e.Offer.Priced {
			offered++
		}
	}
	if got := len(limits(device.Catalog()).Rows); got != offered || offered < 7 {
		t.Errorf("%d rows of %d", got, offered)
	}
}
