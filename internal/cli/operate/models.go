package operate

import (
	"fmt"
	"net/url"

	"stoa/internal/app/core"
	"stoa/internal/platform/llm"
)

// modelSettings name a model on a server with OpenAI's HTTP interface; none is meant while the URL is empty.
type modelSettings struct {
	URL   string `name:"url" help:"Base URL of a server with OpenAI's interface, such as http://127.0.0.1:11434/v1." env:"URL" json:"url" placeholder:"URL"`
	Model string `help:"Name of the model there." env:"MODEL" json:"model" placeholder:"NAME"`
	Key   string `help:"Its key; better in the environment than here." env:"KEY" json:"-" placeholder:"KEY"`
}

// tutorSettings are the language models that may reply in place of the rule engine.
type tutorSettings struct {
	Local modelSettings `embed:"" prefix:"local." envprefix:"LOCAL_" json:"local"`
	Cloud modelSettings `embed:"" prefix:"cloud." envprefix:"CLOUD_" json:"cloud"`
}

// trialSettings are how members may talk to what is in the catalog.
type trialSettings struct {
	modelSettings
	Relay string `help:"To which model servers of their own members' questions are handed on: off, public (addresses of the internet alone) or private (also this machine's and private networks')." default:"public" enum:"off,public,private" env:"RELAY" json:"relay"`
}

func (s *trialSettings) config() (core.TrialConfig, error) {
	c := core.TrialConfig{Relay: core.RelayMode(s.Relay)}
	if s.URL == "" {
		return c, nil
	}
	m, err := llm.New(s.URL, s.Model, s.Key)
	if err != nil {
		return c, fmt.Errorf("--trial: %w", err)
	}
	u, err := url.Parse(s.URL)
	if err != nil {
		return c, err
	}
	c.Model, c.Host = m, u.Hostname()
	return c, nil
}

// embedderSettings name a model that gives the vectors of notes and questions.
type embedderSettings struct {
	modelSettings
	Dimensions int `help:"Length of its vectors." default:"768" env:"DIMENSIONS" json:"dimensions"`
}

func (s *embedderSettings) embedder() (core.Embedder, error) {
	if s.URL == "" {
		return core.Embedder{}, nil
	}
	if s.Dimensions < 1 || s.Dimensions > mostDimensions {
		return core.Embedder{}, fmt.Errorf("--embedder.dimensions must be from 1 to %d", mostDimensions)
	}
	m, err := llm.New(s.URL, s.Model, s.Key)
	if err != nil {
		return core.Embedder{}, fmt.Errorf("--embedder: %w", err)
	}
	return core.Embedder{Model: m, Dims: s.Dimensions}, nil
}

const mostDimensions = 4096

func (s *tutorSettings) models() ([]core.TutorModel, error) {
	var out []core.TutorModel
	for _, side := range []struct {
		mode string
		modelSettings
	}{{"local", s.Local}, {"cloud", s.Cloud}} {
		if side.URL == "" {
			continue
		}
		m, err := llm.New(side.URL, side.Model, side.Key)
		if err != nil {
			return nil, fmt.Errorf("--tutor.%s: %w", side.mode, err)
		}
		u, err := url.Parse(side.URL)
		if err != nil {
			return nil, err
		}
		out = append(out, core.TutorModel{ID: side.mode + ":" + side.Model, Provider: u.Hostname() + "/" + side.Model, Mode: side.mode, Model: m})
	}
	return out, nil
}
