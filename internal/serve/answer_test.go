package serve

import (
	"testing"

	"plinth/internal/record"
)

// TestAnswerBeginsWithLoss, also where nothing is compared.
func TestAnswerBeginsWithLoss(t *testing.T) {
	kept, lost := record.Recovery{Acknowledged: 5, Found: 5}, record.Recovery{Acknowledged: 5, Found: 2}
	for want, e := range map[string]record.Entry{
		"": {Recoveries: map[string]record.Recovery{"barriers": kept}},
		"none: LOST 3 of 5 acknowledged transactions in a power cut.": {Recoveries: map[string]record.Recovery{"barriers": kept, "none": lost}},
	} {
		if got := answerOf(e); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
