package fakegcs

// testPermissions answers with those of the permissions that Deny has not taken (JSON
// API, "Buckets: testIamPermissions"). It needs none itself.
func (x *exchange) testPermissions(b *bucket) *answer {
	asked := x.query["permissions"]
	if len(asked) == 0 {
		return x.fail(400, "required", "Required parameter: permissions", "locationType", "parameter", "location", "permissions")
	}
	has := map[string]any{"kind": "storage#testIamPermissionsResponse"}
	var list []string
	for _, p := range asked {
		if !b.denied[p] {
			list = append(list, p)
		}
	}
	if list != nil { // no list where there is none
		has["permissions"] = list
	}
	return x.reply(200, has)
}
