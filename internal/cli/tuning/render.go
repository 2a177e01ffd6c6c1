package tuning

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"plinth/internal/cli/base"
	"plinth/internal/hint"
	"plinth/internal/tune"
	"plinth/internal/tune/render"
)

func (a *app) tuneRenderCommand() *cobra.Command {
	var flags tuneFlags
	var to, output string
	cmd := &cobra.Command{
		Use:   "render [PROFILE|FILE]... --to FORMAT",
		Short: "Write the plan as configuration files",
		Long: `Write what profiles would change here as files that make the changes at each boot,
without plinth. The formats are ` + strings.Join(render.Formats(), ", ") + `.
Values that are in force already are included. Each file lists at its end which
changes of the plan it does not contain, and which format contains them. The machine
is not changed.` + base.ExitHelp(base.ExitDone, base.ExitFailed, base.ExitUsage),
		Example: `  plinth tune render oltp --to sysctl.d
  plinth tune render ebs-final --to udev --data /var/lib/postgresql
  plinth tune render oltp --to postgresql.conf > plinth.conf
  plinth tune render numa-pinned --to systemd --output files`,
		Annotations: map[string]string{base.WritesDirectory: "output"},
		RunE: func(cmd *cobra.Command, args []string) error {
			err := base.NoneEmpty(cmd.Flags())
			switch {
			case err != nil:
			case to == "":
				err = hint.Errorf("add --to with one of "+strings.Join(render.Formats(), ", "), "no format given")
			case !slices.Contains(render.Formats(), to): // before the machine is read
				_, err = render.Render(&tune.Plan{}, to)
			}
			if err != nil {
				return base.Usage(err)
			}
			a.OnStop(base.StopLooking)
			t, err := flags.lookTuning(cmd.Context(), args, true)
			if err != nil {
				return base.Ended(cmd.Context(), err)
			}
			defer t.close()
			files, err := render.Render(t.plan, to)
			if err != nil {
				return base.Usage(err)
			}
			return a.writeFiles(files, output)
		},
	}
	flags.register(cmd.Flags())
	cmd.Flags().StringVar(&to, "to", "", "`FORMAT`: "+strings.Join(render.Formats(), ", "))
	cmd.Flags().StringVarP(&output, "output", "o", "", "write the files below `DIR` instead of printing them")
	return cmd
}

// writeFiles prints files, or writes them below a directory. A line with its name precedes each
// of several printed files.
func (a *app) writeFiles(files []render.File, dir string) error {
	for i, f := range files {
		if dir == "" {
			separator := ""
			if len(files) > 1 {
				separator = fmt.Sprintf("# ---- %s ----\n", f.Name)
				if i > 0 {
					separator = "\n" + separator
				}
			}
			if _, err := fmt.Fprint(a.Stdout, separator, f.Content); err != nil {
				return err
			}
			continue
		}
		path := filepath.Join(dir, filepath.Clean("/"+f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("cannot write %s: %w", path, err)
		}
		if err := os.WriteFile(path, []byte(f.Content), 0o644); err != nil {
			return fmt.Errorf("cannot write %s: %w", path, err)
		}
		fmt.Fprintf(a.Stderr, "wrote %s\n", path)
	}
	if dir == "" && len(files) == 1 {
		fmt.Fprintf(a.Stderr, "install it as %s\n", files[0].Name)
	}
	return nil
}
