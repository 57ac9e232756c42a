package operate

import (
	"errors"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/identity"
)

// pipelinesOf reads the issuers of pipelines that members may trust to publish: none, default, or their addresses.
func pipelinesOf(issuers []string) (*identity.Pipelines, error) {
	if len(issuers) == 0 || len(issuers) == 1 && issuers[0] == "none" {
		return nil, nil
	}
	var all []string
	for _, one := range issuers {
		switch one {
		case "none":
			return nil, errors.New("--publish-issuers: none stands alone")
		case "default":
			all = append(all, identity.GitHubActions, identity.GitLab)
		default:
			all = append(all, one)
		}
	}
	return identity.NewPipelines(all, clock.System)
}
