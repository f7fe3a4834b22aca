package audit

var explainObjects = []Explanation{}
