package chart

// colour is a named colour on light and on dark paper.
type colour struct{ name, light, dark string }

// seriesCount is how many series look different from each other; further ones
// begin again with the first.
const seriesCount = 8

// palette is every colour of the figures, and of the page around them. The series
// are those of Okabe and Ito (Color Universal Design, 2008), which colour-blind
// people tell apart; the pale ones are darkened on white, the dark ones lightened
// on black, so that a line has a contrast of 3:1 (WCAG 2.1, 1.4.11).
var palette = []colour{
	{"paper", "#ffffff", "#15181c"},
	{"ink", "#1b1f24", "#e8eaed"},
	{"muted", "#5b626b", "#a3abb5"},
	{"grid", "#e4e7ea", "#2c323a"},
	{"band", "#eaeff4", "#232a33"},
	{"accent", "#0a5ea8", "#6cb4f0"},
	{"good", "#17713a", "#5cc98a"},
	{"bad", "#b3261e", "#ff8a80"},
	{"warn", "#8a5a00", "#e6b450"},
	{"series-0", "#0072b2", "#56b4e9"}, // blue
	{"series-1", "#d55e00", "#f08a45"}, // vermilion
	{"series-2", "#00875f", "#2fc79a"}, // bluish green
	{"series-3", "#b5568a", "#dd94bd"}, // reddish purple
	{"series-4", "#a87000", "#e6a92e"}, // orange
	{"series-5", "#3592c9", "#9bd2f5"}, // sky blue
	{"series-6", "#4a4f57", "#c3c8cf"}, // black
	{"series-7", "#837a00", "#efe35a"}, // yellow
}
