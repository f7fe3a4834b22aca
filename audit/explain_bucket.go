package audit

var explainBucket = []Explanation{}
