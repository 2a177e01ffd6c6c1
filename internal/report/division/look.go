package division

import (
	"plinth/internal/chart"
	"plinth/internal/diagnosis/share"
)

// The colours of the parts: those that belong together have the same one, and differ in texture.
const (
	colourCPU = iota
	colourWAL
	colourData
	colourLock
	colourLWLock
	colourStandby
	colourOther
	colourClient
	colours
)

// The textures: plain, and two kinds of lines.
const (
	vertical   = colours
	horizontal = 2 * colours
)

// looks holds how a part is drawn. A test checks that all parts of package share are here.
var looks = map[string]int{
	share.CPU: colourCPU, share.RunDelay: colourCPU + vertical,
	share.WALFlush: colourWAL, share.WALWrite: colourWAL + vertical, share.WALInsert: colourWAL + horizontal,
	share.DataRead: colourData, share.DataWrite: colourData + vertical, share.TempFile: colourData + horizontal,
	share.RowLock: colourLock, share.Lock: colourLock + vertical, share.Extension: colourLock + horizontal,
	share.Content: colourLWLock, share.Mapping: colourLWLock + horizontal, share.LWLock: colourLWLock + vertical,
	share.Standby: colourStandby, share.Sleep: colourStandby + vertical,
	share.Other: colourOther, share.Network: colourOther + vertical,
	share.Generator: colourClient, share.GeneratorDelay: colourClient + vertical, share.Client: colourClient + horizontal,
	share.Unexplained: chart.Rest,
}

// redisLooks holds the looks of parts that only Redis has. They are those of parts that only PostgreSQL has.
var redisLooks = map[string]int{
	"command": colourData, "command-wait": colourLock, "event-loop": colourStandby, "fork": colourLWLock, "aof": colourWAL,
}

// look returns how a part is drawn. One that is not known here looks like other waits.
func look(part string) int {
	for _, known := range []map[string]int{looks, redisLooks} {
		if l, is := known[part]; is {
			return l
		}
	}
	return colourOther
}
