package division

// Looks and RedisLooks hold how parts are drawn.
var (
	Looks      = looks
	RedisLooks = redisLooks
)
