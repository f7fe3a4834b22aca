package audit

var explainLifecycle = []Explanation{}
