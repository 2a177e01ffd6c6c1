package layout

// Edge describes where the last two fields of a line end.
type Edge struct {
	Last, Before int // offsets behind the last field and the one before it
}

// EdgeOf returns where the fields of line end.
func EdgeOf(line []byte) Edge {
	end := len(line)
	for end > 0 && isSpace(line[end-1]) {
		end--
	}
	before := end
	for before > 0 && !isSpace(line[before-1]) {
		before--
	}
	for before > 0 && isSpace(line[before-1]) {
		before--
	}
	return Edge{end, before}
}

// Whole reports whether the last number of the last line of a text is certainly complete. Columns
// are aligned to the right: a number that was cut ends before its column does. like is an earlier
// number of the same column, if there was one. A number without decimals that fills its column may
// have been longer.
func Whole(heading, row Edge, number Number, like *Number) bool {
	width := heading.Last - heading.Before
	if row.Last-row.Before < width {
		return false
	}
	if like != nil && (like.Decimals != number.Decimals || (like.Suffix == 0) != (number.Suffix == 0)) {
		return false
	}
	return number.Suffix != 0 || number.Decimals > 0 && (like != nil || number.Decimals == maxDecimals) ||
		number.Decimals == 0 && number.Digits < width-1
}
