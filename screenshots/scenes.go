package main

// A scene is one picture: what is run, and the steps until it is taken (see
// term.do). In the arguments $BUCKET is the demo bucket.
type scene struct {
	name  string
	look  look
	args  []string
	steps []string
}

var (
	dark  = look{cols: 80, rows: 24}
	light = look{cols: 80, rows: 24, light: true}
	wide  = look{cols: 200, rows: 60}
)

// settings are the person's configuration file.
func settings(bucket string) string {
	return "bookmarks:\n  - name: team data\n    url: " + bucket + "\n"
}

var scenes = []scene{
	{"try", dark, []string{"-la", "--color=always"}, []string{"see total"}},
}
