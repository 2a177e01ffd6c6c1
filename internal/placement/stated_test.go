package placement

import (
	"testing"

	"plinth/internal/device"
	"plinth/internal/engine/postgres/relation"
)

// TestAccepts checks that an object goes to no store that does not accept it, and that things that are
// no part of the database take space, but have no temperature and no reads that queries wait for.
func TestAccepts(t *testing.T) {
	work := FromObjects([]Object{
		{Name: "public.a", Kind: relation.Table, Size: 10 * gb, Reads: 100, Requests: 100, Queried: 100, Operation: 8 << 10},
		{Name: "backups", Kind: Other, Size: 70 * gb},
	})
	if work.Objects[0].Temperature != Hot || work.Objects[1].Temperature != "" {
		t.Errorf("temperatures %q and %q", work.Objects[0].Temperature, work.Objects[1].Temperature)
	}
	stores := []Store{
		{Name: "nvme", Device: catalogued(t, "local-nvme"), Capacity: 100 * gb, Accepts: func(o Object) bool { return o.Kind != Other }},
		{Name: "gp3", Device: catalogued(t, "gp3"), Capacity: 100 * gb},
	}
	plan, err := Find(work, stores, Goal{Objective: LeastTime}, nil)
	must(t, err)
	if plan.Objects[0].To != "nvme" || plan.Objects[1].To != "gp3" || plan.After.Read != duration(stores[0].Device.MeanSeconds(device.Read)) {
		t.Errorf("a is on %s, backups on %s, a read takes %s", plan.Objects[0].To, plan.Objects[1].To, plan.After.Read)
	}
	stores[1].Accepts = stores[0].Accepts
	if _, err := Find(work, stores, Goal{Objective: LeastTime}, nil); err == nil || err.Error() != "no store accepts backups" {
		t.Errorf("%v", err)
	}
}
