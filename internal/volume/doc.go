// Package volume lays out storage: the places where servers keep their data. A
// volume of today is a directory below one that is there:
//
//	PARENT/NAME/                made by plinth
//	PARENT/NAME/plinth-volume   the marker: the id that the journal knows
//	PARENT/NAME/data/           empty, private, the server's own
//
// Nothing is removed that does not hold the marker with the journal's id.
package volume
