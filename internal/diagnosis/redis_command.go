package diagnosis

import (
	"fmt"
	"math"
	"strings"

	"plinth/internal/diagnosis/share"
	"plinth/internal/figure/window"
)

// slowly is the time of a command, in seconds, from which it is slow: all other clients wait meanwhile, as
// long as thousands of usual commands take.
const slowly = 1e-3

// slowCommand examines commands that keep the thread for long.
func slowCommand(o *observation) claim {
	slow := o.slowCommands()
	if len(slow) == 0 {
		return not("no command took longer than %s on average", Duration(slowly*1e9))
	}
	worst, spent := "", 0.0
	for name, seconds := range slow {
		sum := window.Total(seconds)
		spent += sum
		if sum > window.Total(slow[worst]) || slow[worst] == nil {
			worst = name
		}
	}
	c := claim{
		claims: o.during(slow), text: o.slowText(worst),
		evidence: []Evidence{
			{Metric: "info.cmdstat_{command}", Value: spent / float64(len(o.timeline.Seconds)), Unit: "s/s", Against: 1, Of: "the thread's time"},
		},
	}
	if worst == "" {
		c.basis = Correlated
	}
	return c
}

// during returns the fraction of each part of the thread that slow commands explain: of what commands took,
// and of what the thread waited for a CPU meanwhile.
func (o *observation) during(slow map[string][]float64) map[string]float64 {
	mine, whole := map[string]float64{}, map[string]float64{}
	for i, second := range o.timeline.Seconds {
		of, all := 0.0, o.timeline.Executing(i)
		for _, seconds := range slow {
			of += seconds[i]
		}
		if second < o.from {
			continue
		}
		of = min(1, of/max(all, 1e-9))
		executing := o.at(i, share.Command)
		waiting := executing / max(executing+o.at(i, share.EventLoop, share.Fork), 1e-9)
		for part, fraction := range map[string]float64{share.Command: of, share.CommandWait: of, share.RunDelay: of * waiting} {
			mine[part] += fraction * o.at(i, part)
			whole[part] += o.at(i, part)
		}
	}
	for part := range mine {
		mine[part] /= max(whole[part], 1e-9)
	}
	return mine
}

// at returns the requests that were in parts in a second of the timeline.
func (o *observation) at(i int, parts ...string) (sessions float64) {
	for _, part := range parts {
		if values := o.timeline.Parts[part]; values != nil {
			sessions += values[i]
		}
	}
	return sessions
}

// slowCommands returns the commands that take long on average, with the time that they took in each second of
// the timeline. One with the name "" is known from the latency monitor only.
func (o *observation) slowCommands() map[string][]float64 {
	slow := map[string][]float64{}
	for name, seconds := range o.timeline.Commands {
		if name == "" {
			if window.Total(seconds) > 0 {
				slow[name] = seconds
			}
			continue
		}
		if o.each(name) > slowly {
			slow[name] = seconds
		}
	}
	return slow
}

// each returns the mean time of a command, in seconds.
func (o *observation) each(command string) float64 {
	calls := o.timeline.Calls[command]
	if calls == 0 {
		return 0
	}
	return window.Total(o.timeline.Commands[command]) / calls
}

// unanswered reports whether the server did not answer at a second, or in the next one.
func (o *observation) unanswered(second float64) bool {
	for i, seconds := range o.timeline.Commands[""] {
		if seconds > 0 && math.Abs(o.timeline.Seconds[i]-second) <= 1 {
			return true
		}
	}
	return false
}

// slowText describes the command that took most of the time.
func (o *observation) slowText(command string) string {
	text := fmt.Sprintf("%s occupies the thread for %s each time: all other requests wait", strings.ToUpper(command), Duration(o.each(command)*1e9))
	if command == "" {
		text = fmt.Sprintf("one or more commands occupied the thread for %s: all other requests waited", Duration(window.Total(o.timeline.Commands[""])*1e9))
	}
	for _, e := range o.Run.Events {
		what, _, _ := strings.Cut(e.What, "\n")
		word, _, _ := strings.Cut(what, " ")
		if command == "" && o.unanswered(e.At) || command != "" && strings.EqualFold(word, command) {
			return text + fmt.Sprintf(" (event %s of the experiment, at second %.0f)", e.Name, e.At)
		}
	}
	return text
}
