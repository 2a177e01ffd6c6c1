// Package show gathers the numbers of a record, once, and makes tables of them. They come
// from the record alone, so that they can be made again from an old one.
package show
