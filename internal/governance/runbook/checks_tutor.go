package runbook

import "fmt"

var (
	tutorHint    = TraceHint{PathPrefix: knowledge + "/tutor", StatusAtLeast: 400}
	tutorTargets = []string{telemetryPath, knowledge + "/tutor/trace-diagnostics?source=llm-adapter"}
	routed       = []string{"Read errorMessage in tutor/trace-diagnostics: it names the server that was asked and what went wrong. An operator starts that server, or corrects --tutor.local or --tutor.cloud.", "Where both sides are set up, set preferredMode to auto, so that the healthier side answers."}
)

// noModels is what the checks of routing say where only the rule engine answers, which needs no routing.
func noModels(s *Signals) (Verdict, bool) {
	if s.TutorRequests > 0 || s.TutorProviders > 0 {
		return Verdict{}, false
	}
	return unseen("No language model was asked, and nothing is wrong: the rule engine answers.", "requests=0", "requests>0"), true
}

var tutorChecks = []Definition{
	{
		ID: "tutor_adapter_inventory", Sentence: "There is a tutor that answers.",
		Rule: func(s *Signals, _ *Thresholds) Verdict {
			observed := fmt.Sprintf("models=%d, requests=%d", s.TutorModels, s.TutorRequests)
			switch {
			case s.TutorDown:
				return warned("No language model answers: "+s.Failing.Error+".", observed, "one answers")
			case s.TutorRequests > 0:
				return passed("A language model answers.", observed)
			case s.TutorModels > 0:
				return waiting("calls of a language model", 0, 1)
			}
			return unseen("No language model is set up, and nothing is wrong: the rule engine answers.", observed, "models>0")
		},
		Actions: routed, Hint: tutorHint, Targets: tutorTargets,
	},
	{
		ID: "tutor_adapter_timeout_budget", Sentence: "The tutor has a sensible time to answer in.",
		Rule: func(s *Signals, _ *Thresholds) Verdict {
			observed := fmt.Sprintf("timeout=%dms", s.RoutingTimeoutMs)
			switch ms := s.RoutingTimeoutMs; {
			case ms < 300 || ms > 60000:
				return failed("The tutor's timeout makes no sense.", observed, "1000ms..30000ms")
			case ms < 1000 || ms > 30000:
				return warned("The tutor's timeout is unusual.", observed, "1000ms..30000ms")
			}
			return passed("The timeout is sensible.", observed)
		},
		Actions: []string{"Set tutorRoutingConfig.adapterTimeoutMs to between 1000 and 30000."}, Hint: tutorHint, Targets: []string{configPath},
	},
	{
		ID: "tutor_provider_concentration", Sentence: "Fallbacks do not all come from one provider.",
		Rule: func(s *Signals, t *Thresholds) Verdict {
			if v, none := noModels(s); none {
				return v
			}
			r := s.Recent
			observed := fmt.Sprintf("providers=%d, fallbacks=%d, dominant_fallback=%s (%s%%)", s.TutorProviders, r.Fallbacks, r.DominantFallback, figure(r.DominantFallbackPct))
			switch {
			case s.TutorProviders < 2:
				return unseen("One provider answers, so that there is nothing to compare, and nothing is wrong.", observed, "providers>1")
			case r.Fallbacks >= 5 && r.DominantFallbackPct >= 95:
				return failed(r.DominantFallback+" falls back again and again.", observed, "dominant_fallback<80%")
			case r.Fallbacks >= t.ProviderFallbackLeast && r.DominantFallbackPct >= 80:
				return warned(r.DominantFallback+" falls back often.", observed, "dominant_fallback<80%")
			}
			return passed("No provider stands out.", observed)
		},
		Actions: routed, Hint: tutorHint, Targets: tutorTargets,
	},
	{
		// The field facts hold scores and confidences of 0..1 to limits of 0..100; here both are 0..1.
		ID: "tutor_provider_trend_regression", Sentence: "No provider of the tutor gets worse.",
		Rule: func(s *Signals, _ *Thresholds) Verdict {
			if v, none := noModels(s); none {
				return v
			}
			observed := fmt.Sprintf("regressing=%d, improving=%d, insufficient=%d, top=%s, confidence=%s", s.ProviderRegressing, s.ProviderImproving, s.ProviderInsufficient, s.ProviderTop, figure(s.ProviderTopConfidence))
			switch {
			case s.ProviderRegressing >= 2 || s.ProviderRegressing >= 1 && s.ProviderTopConfidence >= .6:
				return failed(s.ProviderTop+" gets worse.", observed, "regressing=0")
			case s.ProviderRegressing >= 1:
				return warned(s.ProviderTop+" seems to get worse.", observed, "regressing=0")
			}
			return passed("No provider gets worse.", observed)
		},
		Actions: routed, Hint: tutorHint, Targets: []string{providersPath},
	},
	{
		ID: "tutor_routing_health_budget", Sentence: "The tutor's language models answer soundly.",
		Rule: func(s *Signals, _ *Thresholds) Verdict {
			if v, none := noModels(s); none {
				return v
			}
			r := s.Recent
			observed := fmt.Sprintf("requests=%d, failed=%s%%, failed_or_downgraded=%s%%, fallback=%s%%, attempts=%s, confidence=%s",
				r.Calls, figure(r.FailedPct), figure(r.DowngradedPct), figure(r.FallbackPct), figure(r.Attempts), figure(r.Confidence))
			expected := fmt.Sprintf("failed<=%s%%, failed_or_downgraded<=%s%%, confidence>=%s", figure(.7*s.RoutingMaxFailed), figure(.75*s.RoutingMaxDowngraded), figure(s.RoutingMinConfidence))
			switch {
			case !s.RoutingEnabled:
				return warned("Routing is switched off.", observed, "routing enabled")
			case s.TutorRequests < s.RoutingMinSamples:
				return waiting("answers of language models", s.TutorRequests, s.RoutingMinSamples)
			case overBudget(s):
				return failed("The language models fail or are downgraded too often.", observed, expected)
			case r.FailedPct > .7*s.RoutingMaxFailed || r.DowngradedPct > .75*s.RoutingMaxDowngraded || r.FallbackPct > max(60, 1.5*s.RoutingMaxDowngraded) ||
				r.Attempts >= 2 || r.Confidence < s.RoutingMinConfidence:
				return warned("The language models come close to their limits.", observed, expected)
			}
			return passed("The language models answer soundly.", observed)
		},
		Actions: routed, Hint: tutorHint, Targets: tutorTargets,
	},
	{
		ID: "tutor_routing_traceability", Sentence: "It can be told why a language model was chosen.",
		Rule: func(s *Signals, _ *Thresholds) Verdict {
			if v, none := noModels(s); none {
				return v
			}
			observed := fmt.Sprintf("strategy=%s, requests=%d", s.RoutingStrategy, s.TutorRequests)
			switch {
			case s.RoutingStrategy == "" || s.RoutingStrategy == "unknown":
				return warned("The last answer does not say how its tutor was chosen.", observed, "strategy known")
			case s.RoutingEnabled && s.TutorRequests >= s.RoutingMinSamples && s.RoutingStrategy == "fallback_default":
				return warned("The last tutor was chosen by default although there is evidence.", observed, "strategy="+adaptiveRouting)
			}
			return passed("The last tutor was chosen by "+s.RoutingStrategy+".", observed)
		},
		Actions: routed, Hint: tutorHint, Targets: tutorTargets,
	},
	{
		ID: DynamicMode, Sentence: "The tutor's pinned side is not the one that is doing worse.",
		Rule: dynamicRule,
		Actions: []string{
			"Set tutorRoutingConfig.preferredMode to auto, or to the side that is recommended.", "Look at how each provider went.",
		},
		Hint: TraceHint{PathPrefix: knowledge + "/tutor/trace-diagnostics/providers/history", StatusAtLeast: 400}, Targets: []string{configPath, providersPath},
	},
}

// overBudget reports whether a hard limit of the tutor's health is exceeded.
func overBudget(s *Signals) bool {
	r := s.Recent
	return r.FailedPct > s.RoutingMaxFailed || r.DowngradedPct > s.RoutingMaxDowngraded || r.FallbackPct > max(85, 2*s.RoutingMaxDowngraded) ||
		r.Attempts >= 4 || r.Confidence < s.RoutingMinConfidence-.2
}

func dynamicRule(s *Signals, _ *Thresholds) Verdict {
	observed := fmt.Sprintf("preferred=%s, dynamic=%s, suggestion_active=%t, requests=%d, strategy=%s", s.RoutingMode, s.DynamicMode, s.DynamicActive, s.TutorRequests, s.RoutingStrategy)
	expected := "preferred=auto or preferred=" + s.DynamicMode
	conflict := s.DynamicActive && s.RoutingMode != "auto" && s.RoutingMode != s.DynamicMode
	switch {
	case !s.RoutingEnabled:
		return warned("Routing is switched off.", observed, "routing enabled")
	case s.TutorRequests == 0:
		return unseen("No language model was asked, and nothing is wrong: there is nothing to recommend a side by.", observed, expected)
	case !conflict:
		return passed("Nothing speaks against the side that answers.", observed)
	case s.TutorRequests >= s.RoutingMinSamples && s.RoutingStrategy == adaptiveRouting && overBudget(s):
		return failed(fmt.Sprintf("The tutor is pinned to %s, which fails too often; %s is recommended.", s.RoutingMode, s.DynamicMode), observed, expected)
	}
	return warned(fmt.Sprintf("The tutor is pinned to %s while %s is recommended: %s", s.RoutingMode, s.DynamicMode, s.DynamicReason), observed, expected)
}
