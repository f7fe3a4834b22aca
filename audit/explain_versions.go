package audit

var explainVersions = []Explanation{}
