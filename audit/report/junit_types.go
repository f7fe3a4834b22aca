package report

import (
	"encoding/xml"
	"strings"
)

// JUnit's elements, in the order that its schema wants them in.

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Time     string       `xml:"time,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name       string           `xml:"name,attr"`
	Tests      int              `xml:"tests,attr"`
	Failures   int              `xml:"failures,attr"`
	Errors     int              `xml:"errors,attr"`
	Skipped    int              `xml:"skipped,attr"` // always 0
	Timestamp  string           `xml:"timestamp,attr"`
	Properties *junitProperties `xml:"properties"`
	Cases      []junitCase      `xml:"testcase"`
	Out        *junitText       `xml:"system-out"`
}

type junitProperties struct {
	List []junitProperty `xml:"property"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Error   *junitTrouble `xml:"error"`
	Failure *junitTrouble `xml:"failure"`
	Out     *junitText    `xml:"system-out"`
}

type junitTrouble struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",cdata"`
}

// junitText is text of several lines. As CDATA its lines stay lines also for who
// reads the file itself.
type junitText struct {
	Text string `xml:",cdata"`
}

func newText(s string) *junitText {
	if s = strings.TrimSpace(s); s == "" {
		return nil
	}
	return &junitText{s + "\n"}
}
