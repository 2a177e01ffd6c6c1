//go:build linux

package redis

const (
	strangerPassword    = `s3cr@t /'\x`
	strangerPasswordURI = `s3cr%40t%20%2F%27%5Cx`
)
