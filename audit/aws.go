package audit

import (
	"strings"

	"provcat-tui/internal/safe"
)

// awsCommand is a line for the AWS command line: aws s3api, an operation, and
// options with their values, one after the other. It is empty where a value would
// not reach the store as it is: the AWS command line reads the file, or asks the
// address, that a value names as file://, fileb:// or http://, and sends what it
// finds, so that a key could carry a file of whoever runs the line out of his
// machine.
//
// AWS CLI user guide, "Loading AWS CLI parameters from a file".
func awsCommand(operation string, options ...string) string {
	line := "aws s3api " + operation
	for i := 0; i+1 < len(options); i += 2 {
		value := options[i+1]
		lower := strings.ToLower(value)
		for _, scheme := range []string{"file:", "fileb:", "http:", "https:"} {
			if strings.HasPrefix(lower, scheme) {
				return ""
			}
		}
		between := " "
		if strings.HasPrefix(value, "-") {
			between = "=" // else it looks like the next option
		}
		line += " " + options[i] + between + safe.Shell(value)
	}
	return line
}

// awsRepair gives a repair its line, or says why it has none.
func awsRepair(r *Repair, operation string, options ...string) {
	if r.Command = awsCommand(operation, options...); r.Command == "" {
		r.Text += " No command is given: the AWS command line would take the key, the version or the ID for the address of a file, and send that file's content."
	}
}
