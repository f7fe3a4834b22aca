package audit

var explainLog = []Explanation{}
