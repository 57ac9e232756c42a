package httpapi

import (
	"context"
	"strconv"

	changelog "stoa"
	"stoa/internal/app"
	"stoa/internal/app/accounts"
	"stoa/internal/app/core"
	"stoa/internal/app/market/review"
	"stoa/internal/market/catalog"
	"stoa/internal/platform/account"
	"stoa/internal/platform/errs"
)

// rows is the table of the console's operations.
func (c *Console) rows() []consoleRow {
	const reviewer, operator = accounts.RoleReviewer, accounts.RoleOperator
	return []consoleRow{
		{"GET /console/api/me", "", false, func(_ context.Context, r *consoleCall) (any, error) { return r.user, nil }},
		{"POST /console/api/confirm", "", false, confirmConsole},
		{"POST /console/api/logout", "", false, c.logout},
		{"GET /console/api/acts", "", false, listActs},
		{"GET /console/api/reviews", reviewer, false, listReviews},
		{"GET /console/api/reviews/{id}", reviewer, false, showReview},
		{"GET /console/api/reviews/{id}/contents", reviewer, false, showContents},
		{"POST /console/api/reviews/{id}/claim", reviewer, false, claimReview},
		{"POST /console/api/reviews/{id}/release", reviewer, false, releaseReview},
		{"POST /console/api/reviews/{id}/answer", reviewer, true, answerSubmitter},
		{"POST /console/api/reviews/{id}/approve", reviewer, true, approveReview},
		{"POST /console/api/reviews/{id}/reject", reviewer, true, rejectReview},
		{"POST /console/api/reviews/approve-harmless", reviewer, true, approveHarmless},
		{"GET /console/api/takedowns", "", false, listTakedowns},
		{"POST /console/api/takedowns", "", true, decideItem(func(ctx context.Context, a *app.App, kind catalog.Kind, in itemInput) error {
			return a.AskTakedown(ctx, kind, in.ItemID, in.Note)
		})},
		{"POST /console/api/takedowns/agree", "", true, decideItem(func(ctx context.Context, a *app.App, kind catalog.Kind, in itemInput) error {
			return a.AgreeTakedown(ctx, kind, in.ItemID)
		})},
		{"POST /console/api/takedowns/drop", "", true, decideItem(func(ctx context.Context, a *app.App, kind catalog.Kind, in itemInput) error {
			return a.DropTakedown(ctx, kind, in.ItemID)
		})},
		{"GET /console/api/ratings", "", false, listReportedRatings},
		{"POST /console/api/ratings/{id}/hide", "", true, decideRating(true)},
		{"POST /console/api/ratings/{id}/keep", "", true, decideRating(false)},
		{"POST /console/api/items/restore", "", true, decideItem(func(ctx context.Context, a *app.App, kind catalog.Kind, in itemInput) error {
			return a.RestoreItem(ctx, kind, in.ItemID)
		})},
		{"GET /console/api/verdicts", operator, false, listVerdicts},
		{"POST /console/api/verdicts/publish", operator, true, decideVerdicts(true)},
		{"POST /console/api/verdicts/dismiss", operator, true, decideVerdicts(false)},
		{"POST /console/api/featured", operator, true, decideItem(func(ctx context.Context, a *app.App, kind catalog.Kind, in itemInput) error {
			return a.Feature(ctx, kind, in.ItemID, in.Note, in.Featured)
		})},
		{"GET /console/api/members/{id}/storage", operator, false, memberStorage},
		{"POST /console/api/members/{id}/quotas", operator, true, setMemberQuota},
		{"GET /console/api/members", operator, false, listConsoleMembers},
		{"POST /console/api/members", operator, true, inviteMember},
		{"POST /console/api/members/{id}/disable", operator, true, disableMember(true)},
		{"POST /console/api/members/{id}/enable", operator, true, disableMember(false)},
		{"POST /console/api/members/{id}/vouch", operator, true, vouchFor(true)},
		{"POST /console/api/members/{id}/unvouch", operator, true, vouchFor(false)},
		{"POST /console/api/members/{id}/link", operator, true, linkMember},
		{"GET /console/api/service", operator, false, c.service},
	}
}

func confirmConsole(ctx context.Context, r *consoleCall) (any, error) {
	var in struct {
		Password string `json:"password"`
		accounts.PasskeyProof
	}
	err := r.read(&in)
	switch {
	case err != nil:
	case in.AttemptID != "":
		err = r.server.app.ConfirmConsoleByPasskey(ctx, r.caller, r.user, in.PasskeyProof)
	default:
		err = r.server.app.ConfirmConsole(ctx, r.caller, r.user, in.Password)
	}
	if err != nil {
		return nil, err
	}
	return r.server.app.IdentifyConsole(ctx, cookie(r.Request, consoleCookie))
}

func (c *Console) logout(ctx context.Context, r *consoleCall) (any, error) {
	c.setCookie(r.w, "", -1)
	return struct{}{}, r.server.app.ConsoleLogout(ctx, r.caller, r.user)
}

func listActs(ctx context.Context, r *consoleCall) (any, error) {
	acts, err := r.server.app.Acts(ctx, r.URL.Query().Get("after"), r.limit())
	return map[string]any{"acts": acts}, err
}

func listReviews(ctx context.Context, r *consoleCall) (any, error) {
	status := r.URL.Query().Get("status")
	if status == "" {
		status = "pending"
	}
	lines, err := r.server.app.Reviews(ctx, status, r.URL.Query().Get("after"), r.limit())
	if err != nil {
		return nil, err
	}
	claims, err := r.server.app.ReviewClaims(ctx)
	return map[string]any{"submissions": lines, "claims": claims}, err
}

// reviewShown is a submission as the console shows it.
type reviewShown struct {
	review.Detail
	// History counts the author's submissions by status.
	History map[string]int64 `json:"author_history"`
	Claim   *review.Claim    `json:"claim"`
	Parts   review.Contents  `json:"contents"`
}

// consoleBytes bounds what of a submission is shown at once; parts that must be opened come first.
const consoleBytes = 512 << 10

func showReview(ctx context.Context, r *consoleCall) (any, error) {
	id, a := r.PathValue("id"), r.server.app
	var out reviewShown
	var err error
	if out.Detail, err = a.Review(ctx, id); err != nil {
		return nil, err
	}
	if out.History, err = a.AuthorHistory(ctx, out.UserID); err != nil {
		return nil, err
	}
	claims, err := a.ReviewClaims(ctx)
	if err != nil {
		return nil, err
	}
	if claim, taken := claims[id]; taken {
		out.Claim = &claim
	}
	out.Parts, err = a.ReadSubmission(ctx, id, review.Read{Total: consoleBytes})
	return out, err
}

func showContents(ctx context.Context, r *consoleCall) (any, error) {
	offset, err := strconv.ParseInt(r.URL.Query().Get("offset"), 10, 64)
	if err != nil {
		offset = 0
	}
	return r.server.app.ReadSubmission(ctx, r.PathValue("id"), review.Read{Part: r.URL.Query().Get("part"), Offset: offset, Each: consoleBytes})
}

func claimReview(ctx context.Context, r *consoleCall) (any, error) {
	return struct{}{}, r.server.app.ClaimReview(ctx, r.PathValue("id"))
}

func releaseReview(ctx context.Context, r *consoleCall) (any, error) {
	return struct{}{}, r.server.app.ReleaseReview(ctx, r.PathValue("id"))
}

// decisionInput is what a reviewer says.
type decisionInput struct {
	Note     string   `json:"note"`
	TakeOver bool     `json:"take_over"`
	Remove   []string `json:"remove"` // what is to be taken out of what was submitted
}

// maxNote bounds a reviewer's note, in bytes.
const maxNote = 4 << 10

func (r *consoleCall) decision(ctx context.Context) (in decisionInput, err error) {
	if err := r.read(&in); err != nil {
		return in, err
	}
	if len(in.Note) > maxNote {
		return in, errs.Invalid("note", "must be a text of at most 4096 characters")
	}
	return in, r.server.app.MayDecide(ctx, r.PathValue("id"))
}

func approveReview(ctx context.Context, r *consoleCall) (any, error) {
	in, err := r.decision(ctx)
	if err != nil {
		return nil, err
	}
	return r.server.app.Approve(ctx, r.PathValue("id"), in.Note, in.TakeOver)
}

func rejectReview(ctx context.Context, r *consoleCall) (any, error) {
	in, err := r.decision(ctx)
	if err != nil {
		return nil, err
	}
	return r.server.app.Reject(ctx, r.PathValue("id"), in.Note, in.Remove...)
}

// answerSubmitter writes to who submitted.
func answerSubmitter(ctx context.Context, r *consoleCall) (any, error) {
	var in decisionInput
	if err := r.read(&in); err != nil {
		return nil, err
	}
	return r.server.app.AnswerSubmitter(ctx, r.PathValue("id"), in.Note, in.Remove)
}

// itemInput names an item of the catalog, and what is to be said of it.
type itemInput struct {
	ItemID   string `json:"item_id"`
	Pack     bool   `json:"pack"`
	Note     string `json:"note"`
	Featured bool   `json:"featured"`
}

// decideItem serves a decision about an item.
func decideItem(decide func(context.Context, *app.App, catalog.Kind, itemInput) error) func(context.Context, *consoleCall) (any, error) {
	return func(ctx context.Context, r *consoleCall) (any, error) {
		var in itemInput
		if err := r.read(&in); err != nil {
			return nil, err
		}
		if len(in.Note) > maxNote {
			return nil, errs.Invalid("note", "must be a text of at most 4096 characters")
		}
		kind := catalog.KindTemplate
		if in.Pack {
			kind = catalog.KindProfilePack
		}
		return struct{}{}, decide(ctx, r.server.app, kind, in)
	}
}

func listVerdicts(ctx context.Context, r *consoleCall) (any, error) {
	return r.server.app.ListVerdictChanges(ctx, 0, "")
}

// decideVerdicts serves a decision about what a newer scanner says of an item, "" for all.
func decideVerdicts(publish bool) func(context.Context, *consoleCall) (any, error) {
	return func(ctx context.Context, r *consoleCall) (any, error) {
		var in itemInput
		if err := r.read(&in); err != nil {
			return nil, err
		}
		n, err := r.server.app.DecideVerdicts(ctx, in.ItemID, publish)
		return map[string]any{"count": n}, err
	}
}

func listTakedowns(ctx context.Context, r *consoleCall) (any, error) {
	all, err := r.server.app.Takedowns(ctx)
	return map[string]any{"takedowns": all}, err
}

func listReportedRatings(ctx context.Context, r *consoleCall) (any, error) {
	all, err := r.server.app.ReportedRatings(ctx)
	return map[string]any{"ratings": all}, err
}

func decideRating(hide bool) func(context.Context, *consoleCall) (any, error) {
	return func(ctx context.Context, r *consoleCall) (any, error) {
		var in decisionInput
		if err := r.read(&in); err != nil {
			return nil, err
		}
		if len(in.Note) > maxNote {
			return nil, errs.Invalid("note", "must be a text of at most 4096 characters")
		}
		return struct{}{}, r.server.app.DecideRating(ctx, r.PathValue("id"), hide, in.Note)
	}
}

// bulkMost bounds how many submissions are decided at once.
const bulkMost = 100

func approveHarmless(ctx context.Context, r *consoleCall) (any, error) {
	var in struct {
		IDs []string `json:"ids"`
	}
	if err := r.read(&in); err != nil {
		return nil, err
	}
	if len(in.IDs) > bulkMost {
		return nil, errs.Invalid("ids", "must be at most 100")
	}
	results, err := r.server.app.ApproveHarmless(ctx, in.IDs)
	return map[string]any{"results": results}, err
}

// memberStorage is how much a member keeps and does, beside the limits.
func memberStorage(ctx context.Context, r *consoleCall) (any, error) {
	return r.server.app.GetMemberQuotas(ctx, core.Caller{Role: core.Member, UserID: r.PathValue("id")}, core.OwnInput{})
}

// setMemberQuota sets one limit of a member; null is the server's again.
func setMemberQuota(ctx context.Context, r *consoleCall) (any, error) {
	var in struct {
		Kind  core.QuotaKind `json:"kind"`
		Limit *int64         `json:"limit"`
	}
	if err := r.read(&in); err != nil {
		return nil, err
	}
	if err := r.server.app.SetMemberQuota(ctx, r.PathValue("id"), in.Kind, in.Limit); err != nil {
		return nil, err
	}
	return memberStorage(ctx, r)
}

func listConsoleMembers(ctx context.Context, r *consoleCall) (any, error) {
	a := r.server.app
	members, err := a.Members(ctx, r.URL.Query().Get("after"), r.limit())
	if err != nil {
		return nil, err
	}
	roles, err := a.RoleHolders(ctx)
	return map[string]any{"members": members, "roles": roles}, err
}

// inviteMember makes an account with a password that nobody knows, and a link that signs its member in once.
func inviteMember(ctx context.Context, r *consoleCall) (any, error) {
	var in struct {
		UserID string `json:"user_id"`
	}
	if err := r.read(&in); err != nil {
		return nil, err
	}
	if err := r.server.app.AddMember(ctx, in.UserID, account.NewPassword()); err != nil {
		return nil, err
	}
	return r.link(ctx, in.UserID)
}

func linkMember(ctx context.Context, r *consoleCall) (any, error) {
	return r.link(ctx, r.PathValue("id"))
}

func (r *consoleCall) link(ctx context.Context, userID string) (any, error) {
	token, err := r.server.app.SignInLink(ctx, userID)
	if err != nil {
		return nil, err
	}
	return map[string]any{"user_id": userID, "link": r.server.app.WebURL + "/member#signin=" + token, "minutes": int(accounts.SignInLinkTTL.Minutes())}, nil
}

func disableMember(disabled bool) func(context.Context, *consoleCall) (any, error) {
	return func(ctx context.Context, r *consoleCall) (any, error) {
		if r.PathValue("id") == r.user.UserID {
			return nil, errs.New(errs.PermissionDenied, "Nobody disables their own account.")
		}
		return struct{}{}, r.server.app.SetMemberDisabled(ctx, r.PathValue("id"), disabled)
	}
}

func vouchFor(vouched bool) func(context.Context, *consoleCall) (any, error) {
	return func(ctx context.Context, r *consoleCall) (any, error) {
		return struct{}{}, r.server.app.SetMemberVouched(ctx, r.PathValue("id"), vouched)
	}
}

// serviceShown is the state of the whole service.
type serviceShown struct {
	Health   core.Health      `json:"health"`
	BackupAt string           `json:"backup_at"` // "" for never
	Jobs     []core.JobState  `json:"jobs"`
	Settings []ConsoleSetting `json:"settings"`
	News     []string         `json:"news"` // of this version, in English
}

func (c *Console) service(ctx context.Context, r *consoleCall) (any, error) {
	a := r.server.app
	out := serviceShown{Health: a.GetHealth(ctx), Settings: c.settings}
	_, out.News = changelog.News()
	var err error
	if out.BackupAt, err = a.LastBackup(ctx); err != nil {
		return nil, err
	}
	if out.Jobs, err = a.JobStates(ctx); err != nil {
		return nil, err
	}
	for n := range out.Jobs {
		if job := &out.Jobs[n]; job.Job == core.JobRescan {
			if job.Done, job.Of, err = a.RescanProgress(ctx); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}
