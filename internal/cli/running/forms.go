package running

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/runner/hosttuning"
	"plinth/internal/runner/preview"
	"plinth/internal/unit"
)

// formTime is how long a form of an experiment takes, as estimated. Form is quick, published, or empty:
// as written.
type formTime struct {
	Form  string  `json:"form"`
	Total float64 `json:"total_s"`
}

// otherForms estimates how long the forms of an experiment take that were not chosen. It leaves out
// those that it cannot estimate, such as those of a fixed number of transactions.
func otherForms(source string, e *experiment.Experiment, sets []string) []formTime {
	var forms []formTime
	changes := map[string]experiment.Form{experiment.FormQuick: e.Quick, experiment.FormPublished: e.Published}
	for _, form := range []string{"", experiment.FormQuick, experiment.FormPublished} {
		if form == e.Form || form != "" && len(changes[form].Set) == 0 {
			continue
		}
		others := slices.DeleteFunc(slices.Clone(sets), func(set string) bool { return strings.HasPrefix(set, "form=") })
		if form != "" {
			others = append(others, "form="+form)
		}
		other, _, err := load(source, others)
		if err != nil {
			continue
		}
		if p, err := preview.NewFitted(other, &hosttuning.Host{}); err == nil && p.Total > 0 {
			forms = append(forms, formTime{form, p.Total.Seconds()})
		}
	}
	return forms
}

// formsLine describes how long other forms take.
func formsLine(forms []formTime) string {
	var each []string
	for _, f := range forms {
		flag := "--" + f.Form
		if f.Form == "" {
			flag = "as written"
		}
		each = append(each, fmt.Sprintf("%s, about %s", flag, unit.About(time.Duration(f.Total*float64(time.Second)))))
	}
	return "Other forms: " + strings.Join(each, "; ") + "."
}
