package audit

import (
	"regexp"
	"strings"
	"testing"
)

// An explanation is for every cloud: a command of one stands there as S3's, or beside
// the other's.
func TestExplanationsNameNoCloudAlone(t *testing.T) {
	aws := regexp.MustCompile(`\baws s3(api)? `)
	n := 0
	for _, e := range Explanations {
		for _, text := range []string{e.Means, e.Happened, e.Works, e.Do} {
			for _, sentence := range strings.SplitAfter(text, ". ") {
				if aws.MatchString(sentence) {
					n++
					if !strings.Contains(sentence, "gcloud ") && !strings.Contains(sentence, "S3") {
						t.Errorf("%s: %s", e.ID, sentence)
					}
				}
			}
		}
	}
	if n == 0 {
		t.Error("no command was found")
	}
}
