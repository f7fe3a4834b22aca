package audit

var explainTime = []Explanation{}
