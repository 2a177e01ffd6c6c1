package serve

import (
	"testing"

	"plinth/internal/record"
	"plinth/internal/record/index"
)

// TestAnswerBeginsWithLoss, also where nothing is compared.
func TestAnswerBeginsWithLoss(t *testing.T) {
	one := func(found int64) record.Durability {
		return record.Durability{Fault: "power-cut", Injections: []record.Injection{{Acknowledged: 5, Found: found}}}
	}
	kept, lost := one(5), one(2)
	for want, e := range map[string]index.Entry{
		"": {Heading: record.Heading{Durability: map[string]record.Durability{"barriers": kept}}},
		"none: LOST 3 of 5 acknowledged writes in a power cut.": {Heading: record.Heading{Durability: map[string]record.Durability{"barriers": kept, "none": lost}}},
	} {
		if got := answerOf(e); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
