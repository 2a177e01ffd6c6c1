// Package show computes the numbers of a record and presents them as tables. It uses the
// record alone, so that old records can be shown again.
package show
