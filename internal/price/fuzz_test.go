package price

import "testing"

// FuzzParse: no price file makes the reader fail other than by its mistakes, and a book that it accepts has
// bills that are neither negative nor infinite.
func FuzzParse(f *testing.F) {
	f.Add([]byte(tariff))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := Parse("fuzz.yaml", data)
		if err != nil {
			return
		}
		for _, r := range b.Regions {
			for name, v := range r.Volumes {
				for _, i := range v.Items(b, Size{What: name, Count: 2, GB: 500, IOPS: 70000, Throughput: 2000, IOs: 1e9}) {
					if i.Month < 0 || float64(i.Month) > 1e30 {
						t.Fatalf("%s costs %v", i.What, i.Month)
					}
				}
			}
			for kind := range r.Instances.Hour {
				if i, err := b.Instance(r, kind, "", 2); err != nil || i.Month < 0 {
					t.Fatalf("%s costs %v, %v", kind, i.Month, err)
				}
			}
		}
	})
}
