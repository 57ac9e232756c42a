package learner

import (
	"context"
	"encoding/json"

	"stoa/internal/app/core"
	"stoa/internal/learning/mastery"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
)

// TrendRuntimeConfig says how trends are read and when a strategy may be chosen by them.
type TrendRuntimeConfig struct {
	LearningLimit      int     `json:"learningQualityTrendLimit"`
	LearningWindow     int     `json:"learningQualityTrendWindowSize"`
	LearningMinSamples int     `json:"learningQualityTrendMinSamples"`
	PlanLimit          int     `json:"sessionPlanQualityTrendLimit"`
	PlanWindow         int     `json:"sessionPlanQualityTrendWindowSize"`
	PlanMinSamples     int     `json:"sessionPlanQualityTrendMinSamples"`
	MemoryLimit        int     `json:"memoryPolicyTrendLimit"`
	MemoryWindow       int     `json:"memoryPolicyTrendWindowSize"`
	MemoryMinSamples   int     `json:"memoryPolicyTrendMinSamples"`
	AutoPath           bool    `json:"strategyAutoPathEnabled"`
	MinConfidence      float64 `json:"strategyMinConfidence"` // 0..1
}

// MemorySignalConfig says how much the tutor's memory counts.
type MemorySignalConfig struct {
	RegressionFloor  float64 `json:"regressionConfidenceFloor"`
	ImprovementFloor float64 `json:"improvementConfidenceFloor"`
	ScoreWeight      float64 `json:"scoreWeight"`
	ConfidenceWeight float64 `json:"confidenceWeight"`
}

// TutorRoutingConfig says which tutor answers.
type TutorRoutingConfig struct {
	Enabled         bool    `json:"enabled"`
	MinSamples      int     `json:"minSamples"`
	MaxFailed       float64 `json:"maxFailedRatioPct"`
	MaxDowngraded   float64 `json:"maxDowngradedRatioPct"`
	MinConfidence   float64 `json:"minAverageConfidence"`
	PreferredMode   string  `json:"preferredMode"`
	AdapterTimeouts int     `json:"adapterTimeoutMs"`
}

// StudySettings are what a learner decides about studying.
type StudySettings struct {
	// DesiredRetention is the recall at which a review is due, 0.7 to 0.97.
	DesiredRetention float64 `json:"desiredRetention"`
	// Experiments allows that now and then another strategy is drawn by chance, so that the best one can be found.
	Experiments bool `json:"strategyExperimentsAllowed"`
	// FollowDecks lets the options of imported decks act: wanted recall, new cards and reviews a day.
	FollowDecks bool `json:"deckOptionsFollowed"`
	// ShareDifficulty counts the learner's first answers to notes of everybody with those of others who agreed, and lets the learner's
	// own estimates begin with theirs.
	ShareDifficulty bool `json:"difficultyShared"`
}

// Orchestration is how a learner's sessions are put together, as it is kept.
type Orchestration struct {
	Trend  TrendRuntimeConfig `json:"trendRuntimeConfig"`
	Memory MemorySignalConfig `json:"memorySignalConfig"`
	Tutor  TutorRoutingConfig `json:"tutorRoutingConfig"`
	Study  StudySettings      `json:"studySettings"`
}

// UsualOrchestration is what holds until a learner chooses otherwise.
var UsualOrchestration = Orchestration{
	Trend:  TrendRuntimeConfig{12, 2, 2, 12, 2, 2, 12, 2, 2, true, 0.35},
	Memory: MemorySignalConfig{0.35, 0.6, 0.25, 0.2},
	Tutor:  TutorRoutingConfig{true, 3, 35, 55, 0.55, "auto", 15000},
	Study:  StudySettings{mastery.DefaultRetention, false, true, false},
}

// OrchestrationConfig is how a learner's sessions are put together. What existing clients send flat is answered flat too.
type OrchestrationConfig struct {
	UserID string `json:"userId"`
	Orchestration
	AutoPath      bool    `json:"strategyAutoPathEnabled"`
	MinConfidence float64 `json:"strategyMinConfidence"`
	UpdatedAt     string  `json:"updatedAt"`
}

// OrchestrationInput is a patch: what it does not name stays.
type OrchestrationInput struct {
	UserID        string          `json:"user_id"`
	Trend         json.RawMessage `json:"trendRuntimeConfig"`
	Memory        json.RawMessage `json:"memorySignalConfig"`
	Tutor         json.RawMessage `json:"tutorRoutingConfig"`
	Study         json.RawMessage `json:"studySettings"`
	AutoPath      *bool           `json:"strategyAutoPathEnabled"`
	MinConfidence *float64        `json:"strategyMinConfidence"`
}

// GetOrchestrationConfig answers how a learner's sessions are put together.
func (a *Service) GetOrchestrationConfig(ctx context.Context, c core.Caller, in core.OwnInput) (OrchestrationConfig, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return OrchestrationConfig{}, err
	}
	config, at, err := OrchestrationOf(ctx, a.Store.Queries, userID)
	return orchestrationView(userID, config, at), err
}

// SetOrchestrationConfig changes how a learner's sessions are put together.
func (a *Service) SetOrchestrationConfig(ctx context.Context, c core.Caller, in OrchestrationInput) (OrchestrationConfig, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return OrchestrationConfig{}, err
	}
	var out OrchestrationConfig
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		config, _, err := OrchestrationOf(ctx, tx.Queries, userID)
		if err != nil {
			return err
		}
		shared := config.Study.ShareDifficulty
		if err := in.patch(&config); err != nil {
			return err
		}
		if shared && !config.Study.ShareDifficulty {
			if err := tx.WithdrawAnswers(userID); err != nil {
				return err
			}
		}
		text, err := json.Marshal(config)
		if err != nil {
			return err
		}
		if err := tx.SetOrchestration(userID, text); err != nil {
			return err
		}
		out = orchestrationView(userID, config, clock.Micros(tx.Now))
		return tx.AddEvent(core.NewAuditEvent(tx, c.As(userID), core.AuditEntry{Owner: userID, Action: "learning.orchestration_set", Status: "done"}))
	})
	return out, err
}

func (in *OrchestrationInput) patch(config *Orchestration) error {
	for _, p := range []struct {
		text json.RawMessage
		into any
	}{{in.Trend, &config.Trend}, {in.Memory, &config.Memory}, {in.Tutor, &config.Tutor}, {in.Study, &config.Study}} {
		if len(p.text) > 0 {
			if err := json.Unmarshal(p.text, p.into); err != nil {
				return errs.Wrap(errs.InvalidRequest, "A field has the wrong type.", err)
			}
		}
	}
	if in.AutoPath != nil {
		config.Trend.AutoPath = *in.AutoPath
	}
	if in.MinConfidence != nil {
		config.Trend.MinConfidence = *in.MinConfidence
	}
	return nil
}

// OrchestrationOf gives what a learner chose, or the usual.
func OrchestrationOf(ctx context.Context, q store.Queries, userID string) (Orchestration, int64, error) {
	config := UsualOrchestration
	text, at, err := q.Orchestration(ctx, userID)
	if err == nil && len(text) > 0 {
		err = json.Unmarshal(text, &config)
	}
	return config, at, err
}

func orchestrationView(userID string, config Orchestration, at int64) OrchestrationConfig {
	return OrchestrationConfig{userID, config, config.Trend.AutoPath, config.Trend.MinConfidence, clock.Text(clock.FromMicros(at))}
}
