package runbook

// Signals are what the parts of the school say of themselves for one learner, at one moment. Names ending in Pct are
// 0..100, Ms are milliseconds; an empty text means unknown.
type Signals struct {
	// The store.
	ConfiguredStoreBackend string   `json:"configuredStoreBackend"`
	StoreType              string   `json:"storeType"`
	StoreWritable          bool     `json:"storeWritable"`
	StoreLatencyMs         float64  `json:"storeLatencyMs"`
	StoreProblem           string   `json:"storeProblem"`
	StoreWhy               string   `json:"-"`           // full, locked, read_only, away; "" when it can be written
	StoreWaitedMs          int64    `json:"-"`           // how long a write was waited for
	Unread                 []string `json:"unreadParts"` // parts whose records could not be read in time
	ClockJumpS             int64    `json:"clockJumpSeconds"`
	RecordsAheadS          int64    `json:"recordsAheadSeconds"` // by how much the newest own record is in the future

	// The search over notes.
	QueryBackendID           string  `json:"queryBackendId"`
	QueryBackendRuntimeReady bool    `json:"queryBackendRuntimeReady"`
	QueryBackendRuntimeID    string  `json:"queryBackendRuntimeId"`
	QueryBackendLastError    string  `json:"queryBackendLastError"`
	QueryCount               int64   `json:"queryCount"`
	QueryFallbackCount       int64   `json:"queryFallbackCount"`
	QueryFallbackRatioPct    float64 `json:"queryFallbackRatioPct"`
	QueryP95Ms               float64 `json:"queryP95Ms"`
	QueryReason              string  `json:"-"` // why words alone answered the newest question; "" when they did not
	QuerySamples             int64   `json:"queryExplainabilitySampleCount"`
	QueryEvidencePct         float64 `json:"queryEvidenceCoverageRatioPct"`
	QueryPathPct             float64 `json:"queryRelationPathCoverageRatioPct"`
	QueryValidPct            float64 `json:"queryTemporalValidityPassRatioPct"`

	// The vector index behind it.
	Notes              int    `json:"knowledgeConceptCount"`  // what there is to index
	IndexStatus        string `json:"queryVectorIndexStatus"` // ready, stale, unavailable, unknown
	IndexAtoms         int    `json:"queryVectorIndexAtomCount"`
	IndexLimit         int    `json:"queryVectorIndexAtomLimit"`
	IndexFull          bool   `json:"-"`
	AccelMode          string `json:"queryVectorIndexAccelerationMode"`
	AccelSelection     string `json:"queryVectorIndexAccelerationLastSelectionMode"`
	AccelCandidates    int    `json:"queryVectorIndexAccelerationLastCandidateCount"`
	AccelAdapter       string `json:"queryVectorIndexAccelerationAdapterId"`
	AccelError         string `json:"queryVectorIndexAccelerationAdapterError"`
	AccelHealth        string `json:"queryVectorIndexAccelerationHealthStatus"`
	AccelHealthMessage string `json:"queryVectorIndexAccelerationHealthMessage"`
	SyncStatus         string `json:"queryVectorIndexAccelerationIndexSyncStatus"`
	SyncMessage        string `json:"queryVectorIndexAccelerationIndexSyncMessage"`
	SyncLastAt         string `json:"queryVectorIndexAccelerationLastSyncAt"`
	SyncRequests       int64  `json:"queryVectorIndexAccelerationSyncRequestCount"`
	SyncSuccesses      int64  `json:"queryVectorIndexAccelerationSyncSuccessCount"`
	SyncFailures       int64  `json:"queryVectorIndexAccelerationSyncFailureCount"`
	SyncSignature      string `json:"queryVectorIndexAccelerationSyncedIndexSignature"`
	SyncAtoms          int    `json:"queryVectorIndexAccelerationSyncedAtomCount"`
	Representation     string `json:"queryVectorIndexAccelerationRepresentationStatus"` // aligned, mismatch, unknown
	EmbeddingModel     string `json:"queryVectorIndexAccelerationEmbeddingModelId"`
	EmbeddingDimension int    `json:"queryVectorIndexAccelerationEmbeddingDimension"`
	Circuit            string `json:"queryVectorIndexAccelerationCircuitState"`
	AccelConsecutive   int    `json:"queryVectorIndexAccelerationConsecutiveFailures"`
	AccelRequests      int64  `json:"queryVectorIndexAccelerationRequestCount"`
	AccelFailures      int64  `json:"queryVectorIndexAccelerationFailureCount"`

	// The learner's own requests of the last hour.
	APIScope          string   `json:"apiTraceScopePathPrefix"`
	APIMethod         string   `json:"apiTraceScopeMethod"`
	APIRequests       int      `json:"apiTraceWindowRequests"`
	APIWarmUp         int      `json:"apiTraceWindowWarmUpRequests"` // the first to their routes; their times do not count
	APIErrors         int      `json:"apiTraceWindowErrors"`
	APIInvalid        int      `json:"apiTraceWindowInvalidRequests"`
	APIInvalidPct     float64  `json:"apiTraceWindowInvalidRequestRatioPct"` // of the errors
	APIInvalidOfAll   float64  `json:"apiTraceWindowInvalidRequestToTotalRatioPct"`
	APIServer         int      `json:"apiTraceWindowServerErrors"`
	APIServerPct      float64  `json:"apiTraceWindowServerErrorRatioPct"`
	APITransient      int      `json:"apiTraceWindowTransientErrors"`
	APITransientPct   float64  `json:"apiTraceWindowTransientErrorRatioPct"`
	APIAverageMs      float64  `json:"apiTraceAverageDurationMs"`
	APIP95Ms          float64  `json:"apiTraceP95DurationMs"`
	APIInvalidPaths   []string `json:"apiTraceWindowInvalidRequestTopPaths"` // "path:count", the most first
	APIServerPaths    []string `json:"apiTraceWindowServerErrorTopPaths"`
	APITransientPaths []string `json:"apiTraceWindowTransientErrorTopPaths"`
	APISlowPaths      []string `json:"apiTraceSlowTopPaths"` // "path:milliseconds", the slowest first

	// What learning brings.
	QualityStatus     string  `json:"qualityTrendStatus"`
	QualityScore      float64 `json:"qualityTrendScore"`
	QualityConfidence float64 `json:"qualityTrendConfidence"`
	// Shares of answers that were right, in per cent: of the newest snapshots' answers and what was usual before.
	QualityRecentRight float64 `json:"-"`
	QualityUsualRight  float64 `json:"-"`
	PlanRecords        int64   `json:"sessionPlanQualityRecords"`
	PlanPassPct        float64 `json:"sessionPlanQualityPassRatePct"`
	PlanFailures       int64   `json:"sessionPlanQualityFailureStreak"`
	PlanStatus         string  `json:"sessionPlanQualityTrendStatus"`
	PlanScore          float64 `json:"sessionPlanQualityTrendScore"`
	PlanConfidence     float64 `json:"sessionPlanQualityTrendConfidence"`

	// What the tutor keeps in mind.
	MemoryStatus          string  `json:"memoryPolicyStatus"` // healthy, watch, risk, insufficient_data
	MemoryScore           float64 `json:"memoryPolicyHealthScore"`
	MemoryTrendStatus     string  `json:"memoryPolicyTrendStatus"`
	MemoryTrendScore      float64 `json:"memoryPolicyTrendScore"`
	MemoryTrendConfidence float64 `json:"memoryPolicyTrendConfidence"`
	MemoryEntries         int64   `json:"memoryPolicyTotalEntries"`
	MemoryExpired         int64   `json:"memoryPolicyExpiredEntries"`
	MemoryStale           int64   `json:"memoryPolicyStaleEntries"`
	MemoryUnsure          int64   `json:"memoryPolicyLowConfidenceEntries"`
	SessionActions        int64   `json:"sessionActionExecutionCount"`
	MemoryPersisted       int64   `json:"sessionMemoryPersistedCount"`
	MemoryPromoted        int64   `json:"sessionMemoryPromotionAppliedCount"`
	MemoryPromotions      int64   `json:"sessionMemoryPromotionCount"`
	MemoryPromotionsPct   float64 `json:"sessionMemoryPromotionCoveragePct"`

	// The notes.
	Documents      int64   `json:"knowledgeStalenessDocuments"`
	StaleDocuments int64   `json:"knowledgeStalenessStaleDocuments"`
	FreshnessPct   float64 `json:"knowledgeStalenessFreshnessRatioPct"`

	// The choice of strategies, over the last week.
	StrategySessions    int64   `json:"sessionStrategyTotalRecords"`
	StrategyRecords     int64   `json:"sessionStrategyStrategyRecords"`
	TrendSharePct       float64 `json:"sessionStrategyTrendAutoSelectionSharePct"`
	TrendDeltaPct       float64 `json:"sessionStrategyTrendAutoAverageMasteryDeltaPct"` // -100..100
	TrendNegativePct    float64 `json:"sessionStrategyTrendAutoNegativeRatioPct"`
	FallbackSharePct    float64 `json:"sessionStrategyModeFallbackSelectionSharePct"`
	ExplicitCount       int     `json:"sessionStrategySelectionSourceExplicitCount"`
	TrendCount          int     `json:"sessionStrategySelectionSourceTrendCount"`
	FallbackCount       int     `json:"sessionStrategySelectionSourceFallbackCount"`
	UnknownCount        int     `json:"sessionStrategySelectionSourceUnknownCount"`
	TopStrategy         string  `json:"sessionStrategyTopAverageStrategy"`
	TopStrategyDeltaPct float64 `json:"sessionStrategyTopAverageMasteryDeltaPct"`
	TopStrategyNegative float64 `json:"sessionStrategyTopAverageNegativeRatioPct"`

	// The tutor.
	Recent                TutorFigures `json:"-"`
	Failing               TutorFault   `json:"-"`
	TutorDown             bool         `json:"-"` // the newest call of every provider that was asked failed
	TutorModels           int          `json:"-"` // that are set up
	TutorAdapters         int          `json:"tutorAdaptersTotal"`
	TutorActive           int          `json:"tutorAdaptersActive"`
	TutorRequests         int          `json:"tutorRequests"` // of adapters that are routed: language models
	TutorAccepted         int          `json:"tutorAcceptedResponses"`
	TutorDowngraded       int          `json:"tutorDowngradedResponses"`
	TutorFailed           int          `json:"tutorFailedResponses"`
	TutorFallbacks        int          `json:"tutorProviderFallbackResponses"`
	TutorFailedPct        float64      `json:"tutorFailedRatioPct"`
	TutorDowngradedPct    float64      `json:"tutorDowngradedRatioPct"`
	TutorFallbackPct      float64      `json:"tutorProviderFallbackRatioPct"`
	TutorAttempts         float64      `json:"tutorAverageProviderAttemptCount"`
	TutorConfidence       float64      `json:"tutorAverageConfidence"` // 0..1
	TutorProviders        int          `json:"tutorProviderCount"`
	TutorDominant         string       `json:"tutorDominantProviderName"`
	TutorDominantPct      float64      `json:"tutorDominantProviderSharePct"`
	TutorDominantFallback string       `json:"tutorDominantFallbackProviderName"`
	TutorDominantFallPct  float64      `json:"tutorDominantFallbackProviderSharePct"`
	ProviderRegressing    int          `json:"tutorProviderTrendRegressingCount"`
	ProviderImproving     int          `json:"tutorProviderTrendImprovingCount"`
	ProviderInsufficient  int          `json:"tutorProviderTrendInsufficientDataCount"`
	ProviderTop           string       `json:"tutorProviderTrendTopRegressingProvider"`
	ProviderTopScore      float64      `json:"tutorProviderTrendTopRegressingScore"`      // 0..1
	ProviderTopConfidence float64      `json:"tutorProviderTrendTopRegressingConfidence"` // 0..1
	ProviderFocus         string       `json:"tutorProviderTrendRecommendedFocusProviderName"`
	RoutingEnabled        bool         `json:"tutorRoutingEnabled"`
	RoutingMode           string       `json:"tutorRoutingPreferredMode"` // auto, local, cloud
	RoutingTimeoutMs      int          `json:"tutorRoutingAdapterTimeoutMs"`
	RoutingMinSamples     int          `json:"tutorRoutingMinSamples"`
	RoutingMaxFailed      float64      `json:"tutorRoutingMaxFailedRatioPct"`
	RoutingMaxDowngraded  float64      `json:"tutorRoutingMaxDowngradedRatioPct"`
	RoutingMinConfidence  float64      `json:"tutorRoutingMinAverageConfidence"`
	RoutingStrategy       string       `json:"tutorLastRoutingStrategy"`
	RoutingReason         string       `json:"tutorLastRoutingReason"`
	RoutingScore          float64      `json:"tutorLastRoutingScore"`
	DynamicMode           string       `json:"tutorRoutingDynamicPreferredMode"` // local, cloud, auto, unknown
	DynamicReason         string       `json:"tutorRoutingDynamicModeReason"`
	DynamicActive         bool         `json:"tutorRoutingDynamicModeSuggestionActive"`

	// What the matrix makes of all this.
	TopRiskCheckID  string   `json:"topRiskCheckId"`
	TopRiskStatus   Status   `json:"topRiskStatus"`
	TopRiskPriority int      `json:"topRiskPriorityScore"`
	TopRiskActions  []string `json:"topRiskRecommendedActions"`
}

// TutorFigures are how the newest calls of language models went. Pct are 0..100, confidence 0..1.
type TutorFigures struct {
	Calls, Fallbacks                      int
	FailedPct, DowngradedPct, FallbackPct float64 // DowngradedPct counts failed calls too: they are worse
	Attempts, Confidence                  float64
	SlowestProvider                       string
	SlowestMs                             float64 // mean time of its answers
	DominantFallback                      string
	DominantFallbackPct                   float64
}

// TutorFault is the provider whose newest call did not go well.
type TutorFault struct {
	Provider      string
	Code          string // timeout, unreachable, refused, bad_reply; "downgraded" when what it said was not accepted
	Error         string
	Failed, Calls int // of the newest calls
}

// Thresholds are where the checks turn (field facts 4.2). Ratios in per cent, times in milliseconds.
type Thresholds struct {
	StoreLatencyWarnMs    float64 `json:"storeLatencyWarnMs"`
	StoreLatencyFailMs    float64 `json:"storeLatencyFailMs"`
	QueryMinSamples       int64   `json:"queryMinSamples"`
	QueryFallbackWarnPct  float64 `json:"queryFallbackWarnRatioPct"`
	QueryFallbackFailPct  float64 `json:"queryFallbackFailRatioPct"`
	CoverageWarnPct       float64 `json:"queryCoverageWarnRatioPct"`
	CoverageFailPct       float64 `json:"queryCoverageFailRatioPct"`
	PlanStreakWarn        int64   `json:"sessionPlanFailureStreakWarn"`
	PlanStreakFail        int64   `json:"sessionPlanFailureStreakFail"`
	APIInvalidMin         int     `json:"apiInvalidRequestMinErrors"`
	APIInvalidWarnPct     float64 `json:"apiInvalidRequestWarnRatioPct"`
	APIInvalidFailPct     float64 `json:"apiInvalidRequestFailRatioPct"`
	APIInvalidHotWarn     int     `json:"apiInvalidRequestHotspotWarnCount"`
	APIInvalidHotFail     int     `json:"apiInvalidRequestHotspotFailCount"`
	APIMinRequests        int     `json:"apiMinRequests"`
	APIServerWarnPct      float64 `json:"apiServerErrorWarnRatioPct"`
	APIServerFailPct      float64 `json:"apiServerErrorFailRatioPct"`
	APIServerHotWarn      int     `json:"apiServerErrorHotspotWarnCount"`
	APIServerHotFail      int     `json:"apiServerErrorHotspotFailCount"`
	APITransientWarnPct   float64 `json:"apiTransientErrorWarnRatioPct"`
	APITransientFailPct   float64 `json:"apiTransientErrorFailRatioPct"`
	APITransientHotWarn   int     `json:"apiTransientErrorHotspotWarnCount"`
	APITransientHotFail   int     `json:"apiTransientErrorHotspotFailCount"`
	APILatencyWarnMs      float64 `json:"apiLatencyWarnMs"`
	APILatencyFailMs      float64 `json:"apiLatencyFailMs"`
	APILatencyHotWarnMs   float64 `json:"apiLatencyHotspotWarnMs"`
	APILatencyHotFailMs   float64 `json:"apiLatencyHotspotFailMs"`
	PromotionWarnPct      float64 `json:"sessionMemoryPromotionWarnCoveragePct"`
	StrategyMinSamples    int     `json:"strategyMinSamples"`
	StrategyWarnDelta     float64 `json:"strategyWarnAverageMasteryDeltaPct"`
	StrategyFailDelta     float64 `json:"strategyFailAverageMasteryDeltaPct"`
	StrategyWarnNegative  float64 `json:"strategyWarnNegativeRatioPct"`
	StrategyFailNegative  float64 `json:"strategyFailNegativeRatioPct"`
	ProviderFallbackLeast int     `json:"tutorProviderFallbackMinTraces"`
}

// DefaultThresholds are the usual ones.
func DefaultThresholds() Thresholds {
	return Thresholds{
		StoreLatencyWarnMs: 250, StoreLatencyFailMs: 1000, QueryMinSamples: 5, QueryFallbackWarnPct: 10, QueryFallbackFailPct: 20, CoverageWarnPct: 90, CoverageFailPct: 75,
		PlanStreakWarn: 1, PlanStreakFail: 2, APIInvalidMin: 3, APIInvalidWarnPct: 30, APIInvalidFailPct: 60, APIInvalidHotWarn: 3, APIInvalidHotFail: 8,
		APIMinRequests: 10, APIServerWarnPct: 5, APIServerFailPct: 15, APIServerHotWarn: 2, APIServerHotFail: 5, APITransientWarnPct: 8, APITransientFailPct: 18,
		APITransientHotWarn: 2, APITransientHotFail: 6, APILatencyWarnMs: 1200, APILatencyFailMs: 2500, APILatencyHotWarnMs: 1800, APILatencyHotFailMs: 3500,
		PromotionWarnPct: 10, StrategyMinSamples: 3, StrategyWarnDelta: 0, StrategyFailDelta: -2, StrategyWarnNegative: 40, StrategyFailNegative: 60, ProviderFallbackLeast: 3,
	}
}
