package record

import "strings"

// maxNote is the longest text that is kept when a record is read, in bytes. A report repeats texts in
// several places, so that long ones would take many times their size.
const maxNote = 4 << 10

// clip replaces a long text by its beginning.
func clip(text *string) {
	if len(*text) > maxNote {
		*text = strings.ToValidUTF8((*text)[:maxNote], "") + "..." // a new string: the long one can be freed
	}
}

func clipNotes(notes []Note) {
	for i := range notes {
		clip(&notes[i].Text)
		clip(&notes[i].Hint)
	}
}

func (r *Run) clip() {
	clipNotes(r.Reasons)
	clipNotes(r.Warnings)
	if r.Telemetry != nil {
		for i := range r.Telemetry.Marks {
			clip(&r.Telemetry.Marks[i].Text)
		}
	}
}

func (s *Summary) clip() {
	clip(&s.Question)
	clip(&s.Reason)
	clipNotes(s.Warnings)
}
