package scan

import "stoa/internal/market/scan/rules"

// SARIF gives the findings in the form that code-scanning services read (SARIF 2.1.0).
func (s Summary) SARIF() any {
	type object = map[string]any
	about := map[string]object{}
	var order []object
	results := []object{}
	describe := func(id, why, advice string) {
		if about[id] == nil {
			about[id] = object{"id": id, "shortDescription": object{"text": why}, "help": object{"text": advice}}
			order = append(order, about[id])
		}
	}
	why := map[string]string{ruleModel: whyModel}
	for _, r := range rules.Load().Rules {
		why[r.ID] = r.Why
	}
	for id, h := range hidden {
		why[id] = h.what
	}
	for _, f := range s.Findings {
		if f.Severity == low {
			continue
		}
		describe(f.Rule, why[f.Rule], f.Advice)
		level := "warning"
		if f.Severity == high {
			level = "error"
		}
		r := object{
			"ruleId": f.Rule, "level": level, "message": object{"text": why[f.Rule] + " " + f.Advice},
			"partialFingerprints": object{"stoa/v1": string(f.Fingerprint)},
			"properties":          object{"category": f.Category, "confidence": f.Confidence, "path": f.Path},
			"locations": []object{{"physicalLocation": object{
				"artifactLocation": object{"uri": f.File}, "region": object{"startLine": f.Line, "startColumn": f.Column, "snippet": object{"text": f.Excerpt}},
			}}},
		}
		if f.Accepted {
			r["suppressions"] = []object{{"kind": "external"}}
		}
		results = append(results, r)
	}
	for _, g := range s.Gaps {
		describe("not_read", "A part could not be read.", "Publish it in a form that can be read.")
		results = append(results, object{
			"ruleId": "not_read", "level": "error", "message": object{"text": g.Why},
			"locations": []object{{"physicalLocation": object{"artifactLocation": object{"uri": g.File}}}},
		})
	}
	if order == nil {
		order = []object{}
	}
	return object{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
		"runs": []object{{"tool": object{"driver": object{"name": "stoa scan", "version": s.ScannerVersion, "rules": order}}, "results": results}},
	}
}
