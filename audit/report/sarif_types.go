package report

// The objects of SARIF 2.1.0 that we write, with the members that we use.

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool struct {
		Driver sarifDriver `json:"driver"`
	} `json:"tool"`
	Invocations []sarifInvocation     `json:"invocations"`
	Bases       map[string]sarifPlace `json:"originalUriBaseIds"`
	ColumnKind  string                `json:"columnKind"`
	Results     []sarifResult         `json:"results"`
	Properties  map[string]any        `json:"properties"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID         string              `json:"id"`
	Name       string              `json:"name,omitempty"`
	Short      *sarifText          `json:"shortDescription,omitempty"`
	Full       *sarifText          `json:"fullDescription,omitempty"`
	Help       *sarifText          `json:"help,omitempty"`
	Default    *sarifConfiguration `json:"defaultConfiguration,omitempty"`
	Properties map[string]any      `json:"properties,omitempty"`
}

type sarifText struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown,omitempty"`
}

type sarifConfiguration struct {
	Level string `json:"level"`
}

type sarifInvocation struct {
	ExecutionSuccessful bool                `json:"executionSuccessful"`
	ExitCode            int                 `json:"exitCode"`
	Start               string              `json:"startTimeUtc"`
	End                 string              `json:"endTimeUtc"`
	Notifications       []sarifNotification `json:"toolExecutionNotifications"`
}

type sarifNotification struct {
	Level     string          `json:"level"`
	Message   sarifMessage    `json:"message"`
	Rule      sarifReference  `json:"associatedRule,omitzero"`
	Locations []sarifLocation `json:"locations,omitempty"`
}

type sarifReference struct {
	ID string `json:"id"`
}

type sarifMessage struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown,omitempty"`
}

type sarifResult struct {
	RuleID       string              `json:"ruleId"`
	RuleIndex    int                 `json:"ruleIndex"`
	Kind         string              `json:"kind"`
	Level        string              `json:"level"`
	Message      sarifMessage        `json:"message"`
	Locations    []sarifLocation     `json:"locations"`
	Related      []sarifLocation     `json:"relatedLocations,omitempty"`
	Fingerprints map[string]string   `json:"partialFingerprints"`
	Suppressions *[]sarifSuppression `json:"suppressions,omitempty"`
	Properties   map[string]any      `json:"properties,omitempty"`
}

type sarifLocation struct {
	ID         int            `json:"id,omitempty"`
	Physical   *sarifPhysical `json:"physicalLocation,omitempty"`
	Logical    []sarifLogical `json:"logicalLocations,omitempty"`
	Message    *sarifMessage  `json:"message,omitempty"`
	Properties map[string]any `json:"properties,omitempty"`
}

type sarifPhysical struct {
	Place  sarifPlace   `json:"artifactLocation"`
	Region *sarifRegion `json:"region,omitempty"`
}

type sarifPlace struct {
	URI         string         `json:"uri,omitempty"`
	Base        string         `json:"uriBaseId,omitempty"`
	Description *sarifMessage  `json:"description,omitempty"`
	Properties  map[string]any `json:"properties,omitempty"`
}

type sarifRegion struct {
	StartLine int `json:"startLine"`
}

type sarifLogical struct {
	Name string `json:"name"`
	Full string `json:"fullyQualifiedName"`
	Kind string `json:"kind"`
}

type sarifSuppression struct {
	Kind          string         `json:"kind"`
	Status        string         `json:"status"`
	Justification string         `json:"justification"`
	Properties    map[string]any `json:"properties,omitempty"`
}
