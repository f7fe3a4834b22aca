package fakegcs

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/http"
)

// fail is an error in the API's own form: the JSON of "HTTP status and error codes
// for JSON". more are further members of the error, name, value, name, value. For
// 304 there is no body.
func (x *exchange) fail(status int, reason, message string, more ...string) *answer {
	if status == 304 {
		return &answer{Status: status, Header: http.Header{}}
	}
	item := map[string]string{"domain": "global", "reason": reason, "message": message}
	for i := 0; i+1 < len(more); i += 2 {
		item[more[i]] = more[i+1]
	}
	body := map[string]any{"error": map[string]any{"code": status, "message": message, "errors": []any{item}}}
	out, err := json.Marshal(body)
	if err != nil {
		panic(err) // strings and numbers
	}
	return &answer{Status: status, Header: http.Header{"Content-Type": {"application/json; charset=UTF-8"}}, Body: out}
}

// failXML is an error of a request that both APIs have: code is the XML API's
// word for it ("HTTP status and error codes for XML"). A read with alt=media gets
// the message alone, as text: that is what the service sends, no page says so.
func (x *exchange) failXML(status int, reason, code, message string, more ...string) *answer {
	switch {
	case status == 304:
		return x.fail(status, reason, message)
	case x.xml:
		out := []byte(xml.Header + "<Error><Code>" + code + "</Code><Message>")
		out = append(out, escaped(message)...)
		out = append(out, "</Message></Error>"...)
		return &answer{Status: status, Header: http.Header{"Content-Type": {"application/xml; charset=UTF-8"}}, Body: out}
	case x.query.Get("alt") == "media":
		return &answer{Status: status, Header: http.Header{"Content-Type": {"text/html; charset=UTF-8"}}, Body: []byte(message)}
	}
	return x.fail(status, reason, message, more...)
}

func escaped(text string) string {
	out, err := xml.Marshal(struct {
		XMLName xml.Name `xml:"m"`
		Text    string   `xml:",chardata"`
	}{Text: text})
	if err != nil {
		panic(err) // a string
	}
	return string(out[len("<m>") : len(out)-len("</m>")])
}

func (x *exchange) invalid(message string) *answer {
	return x.failXML(400, "invalid", "InvalidArgument", message)
}

func (x *exchange) parameter(name, value string) *answer {
	return x.fail(400, "invalid", "Invalid value '"+value+"'.", "locationType", "parameter", "location", name)
}

func (x *exchange) noBucket() *answer {
	return x.failXML(404, "notFound", "NoSuchBucket", "The specified bucket does not exist.")
}

func (x *exchange) noObject(bucket, key string) *answer {
	return x.failXML(404, "notFound", "NoSuchKey", "No such object: "+bucket+"/"+key)
}

// conditionNotMet says that a precondition did not hold. The service names the
// header If-Match as the location, also for query parameters.
func (x *exchange) conditionNotMet() *answer {
	return x.failXML(412, "conditionNotMet", "PreconditionFailed", "At least one of the pre-conditions you specified did not hold.",
		"locationType", "header", "location", "If-Match")
}

// notModified is for the conditions that want no match. "Request preconditions"
// tells 304 for reads and nothing of writes; here it is the same for all, as in
// Google's own storage-testbench.
func (x *exchange) notModified() *answer { return x.failXML(304, "notModified", "", "") }

// held and retained are what the service says of a protected object
// ("objectUnderActiveHold" and "retentionPolicyNotMet" of the page of codes).
func (x *exchange) held(b *bucket, key, hold string) *answer {
	return x.fail(403, "objectUnderActiveHold", fmt.Sprintf("Object '%s/%s' is under active %s hold and cannot be deleted, overwritten or archived until hold is removed.", b.name, key, hold))
}

func (x *exchange) retained(b *bucket, key, until string) *answer {
	return x.fail(403, "retentionPolicyNotMet", fmt.Sprintf("Object '%s/%s' is subject to bucket's retention policy or object retention and cannot be deleted or overwritten until %s", b.name, key, until))
}
