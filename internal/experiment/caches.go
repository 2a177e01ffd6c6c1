package experiment

// What caches hold once a server was switched in.
const (
	CachesKeep    = "keep"
	CachesDrop    = "drop"
	CachesPrewarm = "prewarm"
)

// caches checks that what drops everybody's page cache is allowed to.
func (c *checker) caches() {
	e := c.e
	if e.Caches == CachesDrop && !e.AllowHost && c.sound(&e.Caches, &e.AllowHost) {
		c.add(c.places[&e.Caches], "add allow_host: true, or leave it out", "caches: drop empties the page cache of the whole machine")
	}
}
