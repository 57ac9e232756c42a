package identity

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/dial"
)

// Issuers of the pipelines that most people have.
const (
	GitHubActions = "https://token.actions.githubusercontent.com"
	GitLab        = "https://gitlab.com"
)

// Bounds of a pipeline's token.
const (
	// leeway is how far the issuer's clock and this one may be apart.
	leeway = time.Minute
	// oldest is how old a token may be, however long it says that it is good.
	oldest   = 24 * time.Hour
	maxClaim = 500
)

// Run is what an issuer says of one run of a pipeline.
type Run struct {
	Issuer  string
	TokenID string // no other token of the issuer has it
	// Repository is where the pipeline stands, such as ada/garden; RepositoryID is the issuer's number for it, which stays when
	// the name comes into other hands.
	Repository, RepositoryID string
	Workflow                 string // the file in the repository that says what is run; "" when the issuer does not say
	Environment              string
	Ref                      string    // such as refs/heads/main
	Until                    time.Time // from then on nobody takes the token
}

// Refused says why a token is not good, in a word of the contract. It is an ErrRefused.
type Refused struct {
	Reason string
	cause  error
}

// The reasons. They are all about the token itself.
const (
	IssuerNotAllowed = "issuer_not_allowed"
	NotSigned        = "signature_invalid"
	WrongAudience    = "audience_mismatch"
	Expired          = "token_expired"
	NotYet           = "token_not_yet_valid"
	ClaimsMissing    = "claims_missing"
	EventNotAllowed  = "event_not_allowed"
)

func (r *Refused) Error() string { return fmt.Sprintf("identity: %s: %v", r.Reason, r.cause) }

// Unwrap makes it an ErrRefused.
func (r *Refused) Unwrap() []error { return []error{ErrRefused, r.cause} }

func refuse(reason, format string, args ...any) error {
	return &Refused{reason, fmt.Errorf(format, args...)}
}

// Pipelines checks the identity tokens that issuers sign for runs of pipelines. Issuers are asked at their own host alone, without
// redirects, at most once in a while, and never at an address at which clouds tell secrets.
type Pipelines struct {
	names   []string
	issuers map[string]*Issuer
	now     clock.Clock
}

// NewPipelines makes one for issuers by their addresses. None is asked before the first token of it comes.
func NewPipelines(issuers []string, now clock.Clock) (*Pipelines, error) {
	p := &Pipelines{issuers: map[string]*Issuer{}, now: now}
	for _, address := range issuers {
		u, err := url.Parse(address)
		if err != nil || !asked(u) || u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.HasSuffix(address, "/") {
			return nil, fmt.Errorf("%q is no issuer of pipelines: it must be an https address, without a slash at its end", address)
		}
		transport := &http.Transport{DialContext: dial.Guarded(timeout, dial.PublicOrLocal).DialContext, TLSHandshakeTimeout: timeout, DisableKeepAlives: true, MaxResponseHeaderBytes: 16 << 10}
		p.issuers[address] = &Issuer{
			Settings: Settings{Issuer: address, Now: now}, sameHost: true, keysBy: transport,
			client: &http.Client{Timeout: timeout, Transport: &keyHolder{from: transport, now: now}},
		}
		p.names = append(p.names, address)
	}
	return p, nil
}

// asked tells whether an issuer may be at an address: an https one, or on this machine.
func asked(u *url.URL) bool {
	return u.Host != "" && (u.Scheme == "https" || u.Scheme == "http" && loopback(u.Hostname()))
}

// Issuers lists the issuers, as they were named. Nil has none.
func (p *Pipelines) Issuers() []string {
	if p == nil {
		return nil
	}
	return slices.Clone(p.names)
}

// Verify checks a token that was made for audience. The errors are a *Refused, and ErrUnreachable with its cause.
func (p *Pipelines) Verify(ctx context.Context, token, audience string) (Run, error) {
	if audience == "" {
		return Run{}, errors.New("identity: this server does not know its own address")
	}
	i := p.issuers[saidIssuer(token)]
	if i == nil {
		return Run{}, refuse(IssuerNotAllowed, "the issuer is not among those allowed")
	}
	keys, err := i.keySet(ctx)
	if err != nil {
		return Run{}, err
	}
	// Times and audience are looked at below, when it is known who says so.
	verified, err := oidc.NewVerifier(i.Issuer, keys, &oidc.Config{SkipClientIDCheck: true, SkipExpiryCheck: true, SupportedSigningAlgs: signers, Now: p.now}).Verify(ctx, token)
	if err != nil {
		if errors.Is(err, errKeysAway) || strings.Contains(err.Error(), errKeysAway.Error()) {
			return Run{}, fmt.Errorf("%w: %w", ErrUnreachable, err)
		}
		return Run{}, refuse(NotSigned, "%w", err)
	}
	if !slices.ContainsFunc(verified.Audience, func(a string) bool { return strings.TrimSuffix(a, "/") == strings.TrimSuffix(audience, "/") }) {
		return Run{}, refuse(WrongAudience, "it was made for %.200q", verified.Audience)
	}
	var claims claimsOfRun
	if err := verified.Claims(&claims); err != nil {
		return Run{}, refuse(ClaimsMissing, "its claims cannot be read")
	}
	now := p.now()
	until := verified.Expiry.Add(leeway)
	if end := verified.IssuedAt.Add(oldest); end.Before(until) {
		until = end
	}
	switch {
	case verified.Expiry.IsZero() || verified.IssuedAt.IsZero():
		return Run{}, refuse(ClaimsMissing, "it does not say from when to when it is good")
	case !now.Before(until):
		return Run{}, refuse(Expired, "it ended at %s", until)
	case verified.IssuedAt.After(now.Add(leeway)), time.Unix(int64(claims.NotBefore), 0).After(now.Add(leeway)):
		return Run{}, refuse(NotYet, "it is good from a later time on")
	}
	run, err := claims.run()
	run.Issuer, run.Until = i.Issuer, until
	return run, err
}

// saidIssuer is what a token says of its issuer, which nobody has checked; "" for what is no token.
func saidIssuer(token string) string {
	if !LooksSigned(token) {
		return ""
	}
	text, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[1])
	var said struct {
		Issuer string `json:"iss"`
	}
	if err != nil || json.Unmarshal(text, &said) != nil {
		return ""
	}
	return said.Issuer
}

// claimsOfRun are the claims of GitHub Actions (which Forgejo and Gitea have too) and of GitLab CI.
type claimsOfRun struct {
	TokenID     string  `json:"jti"`
	NotBefore   float64 `json:"nbf"`
	Ref         string  `json:"ref"`
	Environment string  `json:"environment"`
	Event       string  `json:"event_name"`      // of GitHub
	Source      string  `json:"pipeline_source"` // of GitLab

	Repository   string `json:"repository"`
	RepositoryID string `json:"repository_id"`
	WorkflowRef  string `json:"workflow_ref"` // ada/garden/.github/workflows/publish.yml@refs/heads/main

	ProjectPath string `json:"project_path"`
	ProjectID   string `json:"project_id"`
	RefPath     string `json:"ref_path"`
	ConfigRef   string `json:"ci_config_ref_uri"` // gitlab.com/ada/garden//.gitlab-ci.yml@refs/heads/main
}

// begunByOthers are what begins a run at the wish of somebody who may only propose a change: what they wrote is often carried out in
// it, with the repository's own name on the token. workflow_run follows after such a run.
var begunByOthers = []string{"pull_request", "pull_request_target", "workflow_run", "merge_request_event", "external_pull_request_event"}

func (c *claimsOfRun) run() (Run, error) {
	r := Run{TokenID: c.TokenID, Environment: c.Environment}
	var file string
	switch {
	case slices.Contains(begunByOthers, c.Event), slices.Contains(begunByOthers, c.Source):
		return r, refuse(EventNotAllowed, "it was begun by %.40q", c.Event+c.Source)
	case (c.Repository == "") == (c.ProjectPath == ""):
		return r, refuse(ClaimsMissing, "it does not say which repository it is of")
	case c.Repository != "":
		r.Repository, r.RepositoryID, r.Ref = c.Repository, c.RepositoryID, c.Ref
		file, _ = strings.CutPrefix(c.WorkflowRef, c.Repository+"/")
		if file == c.WorkflowRef {
			file = "" // of another repository
		}
	default:
		r.Repository, r.RepositoryID, r.Ref = c.ProjectPath, c.ProjectID, c.RefPath
		place, path, _ := strings.Cut(c.ConfigRef, "//")
		if strings.HasSuffix(place, "/"+c.ProjectPath) {
			file = path
		}
	}
	r.Workflow, _, _ = strings.Cut(file, "@")
	for _, text := range []string{r.TokenID, r.Repository, r.RepositoryID} {
		if text == "" {
			return r, refuse(ClaimsMissing, "it has no number of its own or of its repository")
		}
	}
	for _, text := range []string{r.TokenID, r.Repository, r.RepositoryID, r.Workflow, r.Environment, r.Ref} {
		if len(text) > maxClaim {
			return r, refuse(ClaimsMissing, "its claims are longer than %d bytes", maxClaim)
		}
	}
	return r, nil
}
