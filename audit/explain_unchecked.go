package audit

var explainUnchecked = []Explanation{}
