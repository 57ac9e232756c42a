package httpapi

import (
	"context"
	"net/http"

	"stoa/internal/app"
	"stoa/internal/app/core"
	"stoa/internal/httpapi/routes"
	"stoa/internal/market/transfer"
)

// request is one request on its way: everything that a row of the table may need.
type request struct {
	*http.Request
	w      *recorder
	server *Server
	route  *routes.Route
	caller core.Caller
}

// operation is one row: how a request for it is answered.
type operation struct {
	id     string
	handle func(r *request) error
}

// operations is the table. Every operation of the contract has exactly one row.
var operations = []operation{
	{"getAuthInfo", (*request).authInfo},
	{"login", (*request).login},
	{"logout", (*request).logout},
	{"signup", (*request).signup},
	{"getAccount", plain("Your account.", (*app.App).GetAccount)},
	{"confirmSession", plain("Confirmed.", (*app.App).ConfirmSession)},
	{"exportAccount", (*request).exportAccount},
	{"requestAccountDeletion", plain("Your account will be deleted.", (*app.App).RequestAccountDeletion)},
	{"cancelAccountDeletion", plain("Your account stays.", (*app.App).CancelAccountDeletion)},
	{"listPasskeys", plain("Your passkeys.", (*app.App).ListPasskeys)},
	{"beginPasskey", plain("Ask the authenticator.", (*app.App).BeginPasskey)},
	{"addPasskey", plain("The passkey is added.", (*app.App).AddPasskey)},
	{"renamePasskey", plain("Renamed.", (*app.App).RenamePasskey)},
	{"removePasskey", plain("Removed.", (*app.App).RemovePasskey)},
	{"askForPasskey", plain("Ask the authenticator.", (*app.App).AskForPasskey)},
	{"loginWithPasskey", (*request).loginWithPasskey},
	{"getNotificationChoices", plain("Where you are told.", (*app.App).GetNotificationChoices)},
	{"setNotificationWays", plain("Set.", (*app.App).SetNotificationWays)},
	{"getReminderCalendar", plain("When your calendar reminds you.", (*app.App).GetReminderCalendar)},
	{"setReminderCalendar", plain("Set.", (*app.App).SetReminderCalendar)},
	{"renewReminderCalendar", plain("The calendar; its address is shown this once.", (*app.App).RenewReminderCalendar)},
	{"renewNotificationFeed", plain("The feed; its address is shown this once.", (*app.App).RenewNotificationFeed)},
	{"setNotificationMail", plain("Set.", (*app.App).SetNotificationMail)},
	{"confirmNotificationMail", plain("Confirmed.", (*app.App).ConfirmNotificationMail)},
	{"setNotificationWebhook", plain("Set; the secret is shown this once.", (*app.App).SetNotificationWebhook)},
	{"changePassword", ends("The password is changed.", (*app.App).ChangePassword)},
	{"listOwnSessions", plain("Where you are signed in.", (*app.App).ListOwnSessions)},
	{"endOwnSession", ends("The session is ended.", (*app.App).EndOwnSession)},
	{"endOwnSessions", ends("Signed out everywhere.", (*app.App).EndOwnSessions)},
	{"listAPITokens", plain("Your API tokens.", (*app.App).ListAPITokens)},
	{"createAPIToken", plain("The token; it is shown this once.", (*app.App).CreateAPIToken)},
	{"revokeAPIToken", plain("Revoked.", (*app.App).RevokeAPIToken)},
	{"listTrustedPublishers", plain("Your trusted publishers.", (*app.App).ListTrustedPublishers)},
	{"addTrustedPublisher", plain("Trusted.", (*app.App).AddTrustedPublisher)},
	{"removeTrustedPublisher", plain("Removed.", (*app.App).RemoveTrustedPublisher)},
	{"exchangeToken", plain("The token; it is good for 15 minutes.", (*app.App).ExchangeToken)},
	{"getHealth", (*request).healthInfo},
	{"getUICapabilities", (*request).capabilities},

	{"listTemplates", public("Templates.", (*app.App).ListTemplates)},
	{"getTemplateDetail", public("The template.", (*app.App).GetTemplateDetail)},
	{"listProfilePackCatalog", public("Profile packs.", (*app.App).ListProfilePackCatalog)},
	{"getProfilePackCatalogDetail", public("The profile pack.", (*app.App).GetProfilePackCatalogDetail)},
	{"getProfilePackCatalogInsights", plain("The pack catalog in figures.", (*app.App).GetProfilePackCatalogInsights)},

	{"getItemPage", plain("The item's page.", (*app.App).GetItemPage)},
	{"getItemPicture", (*request).itemPicture},
	{"listRatings", plain("Ratings.", (*app.App).ListRatings)},
	{"saveRating", plain("Rated.", (*app.App).SaveRating)},
	{"removeRating", plain("Removed.", (*app.App).RemoveRating)},
	{"answerRating", plain("Answered.", (*app.App).AnswerRating)},
	{"reportRating", plain("Reported.", (*app.App).ReportRating)},
	{"getMarketActivity", plain("Uses per day.", (*app.App).GetMarketActivity)},
	{"compareProfilePackCatalog", plain("What changed.", (*app.App).CompareProfilePackCatalog)},

	{"submitTemplate", uploads("Submitted; it waits for review.", transfer.TemplateSubmissionPackage, (*app.App).SubmitTemplate)},
	{"checkSubmission", plain("Checked.", (*app.App).CheckSubmission)},
	{"getSubmissionThread", plain("What was said.", (*app.App).GetSubmissionThread)},
	{"sendSubmissionMessage", plain("Sent.", (*app.App).SendSubmissionMessage)},
	{"saveExample", plain("Kept; it waits for review.", (*app.App).SaveExample)},
	{"listMemberSubmissions", plain("Your template submissions.", (*app.App).ListMemberSubmissions)},
	{"getMemberSubmissionDetail", plain("Your submission.", (*app.App).GetMemberSubmissionDetail)},
	{"withdrawMemberSubmission", plain("Withdrawn.", (*app.App).WithdrawMemberSubmission)},
	{"withdrawMemberItem", plain("Done.", (*app.App).WithdrawMemberItem)},
	{"downloadMemberSubmissionPackage", transferred((*app.App).GetMemberSubmissionPackage)},
	{"saveTemplateDraft", plain("Kept.", (*app.App).SaveTemplateDraft)},
	{"listTemplateDrafts", plain("Your drafts.", (*app.App).ListTemplateDrafts)},
	{"getTemplateDraft", plain("Your draft.", (*app.App).GetTemplateDraft)},
	{"deleteTemplateDraft", plain("Deleted.", (*app.App).DeleteTemplateDraft)},
	{"importProfilePack", uploads("Imported as a draft; nothing is published.", transfer.ProfilePackImport, (*app.App).MemberImportProfilePack)},
	{"listProfilePackImports", plain("Your drafts.", (*app.App).MemberListProfilePackImports)},
	{"getProfilePackImport", plain("Your draft.", (*app.App).MemberGetProfilePackImport)},
	{"saveProfilePackImportChoices", plain("Kept.", (*app.App).SaveProfilePackImportChoices)},
	{"deleteProfilePackImport", plain("Deleted.", (*app.App).MemberDeleteProfilePackImport)},
	{"submitProfilePack", keyed("Submitted; it waits for review.", (*app.App).SubmitProfilePack)},
	{"previewProfilePack", plain("What would be sent.", (*app.App).PreviewProfilePack)},
	{"listMemberProfilePackSubmissions", plain("Your profile-pack submissions.", (*app.App).ListMemberProfilePackSubmissions)},
	{"getMemberProfilePackSubmissionDetail", plain("Your submission.", (*app.App).GetMemberProfilePackSubmissionDetail)},
	{"withdrawMemberProfilePackSubmission", plain("Withdrawn.", (*app.App).WithdrawMemberProfilePackSubmission)},
	{"downloadMemberProfilePackSubmissionExport", transferred((*app.App).GetMemberProfilePackSubmissionExport)},
	{"downloadProfilePackPackage", (*request).downloadPack},
	{"listMemberTransfers", plain("Your transfers.", (*app.App).ListMemberTransferJobs)},
	{"refreshMemberTransfers", plain("Your transfers.", (*app.App).RefreshMemberTransferJobs)},

	{"getPreferences", plain("Your preferences.", (*app.App).GetPreferences)},
	{"setPreferenceMode", plain("The mode is set.", (*app.App).SetPreferenceMode)},
	{"setPreferenceObserve", plain("Task details are set.", (*app.App).SetPreferenceObserve)},
	{"setPreferenceRecipient", plain("The recipient is set.", (*app.App).SetPreferenceRecipient)},

	{"requestTrial", plain("The trial.", (*app.App).RequestTrial)},
	{"getTrialStatus", plain("The trial.", (*app.App).GetTrialStatus)},
	{"getTrialPersonas", plain("Whom you can talk to.", (*app.App).GetTrialPersonas)},
	{"trialChat", (*request).trialChat},
	{"compareTrials", plain("What differs.", (*app.App).CompareTrials)},
	{"getInstallPlan", plain("What would be installed.", (*app.App).GetInstallPlan)},
	{"listPrompts", plain("Prompts.", (*app.App).ListPrompts)},
	{"installTemplate", plain("The installation.", (*app.App).InstallTemplate)},
	{"downloadTemplatePackage", (*request).downloadPackage},
	{"generatePromptBundle", plain("The prompt.", (*app.App).GeneratePromptBundle)},
	{"exportItem", plain("The export.", (*app.App).ExportItem)},
	{"getBotObjects", plain("What it brings into a bot.", (*app.App).GetBotObjects)},
	{"generatePackage", plain("The package is ready.", (*app.App).GeneratePackage)},

	{"listMemberInstallations", plain("Your installations.", (*app.App).ListMemberInstallations)},
	{"refreshMemberInstallations", plain("Your installations, compared with the catalog.", (*app.App).RefreshMemberInstallations)},
	{"uninstallMemberInstallation", plain("Uninstalled.", (*app.App).UninstallMemberInstallation)},
	{"listMemberTasks", plain("Your tasks.", (*app.App).ListMemberTasks)},
	{"refreshMemberTasks", plain("Your tasks.", (*app.App).RefreshMemberTasks)},
	{"getMemberQuotas", plain("What you have used of your quotas.", (*app.App).GetMemberQuotas)},
	{"listNotifications", plain("Your notifications.", (*app.App).ListNotifications)},
	{"ingestKnowledge", keyedOfLearner("Imported.", (*app.App).IngestKnowledge)},
	{"ingestKnowledgeDiff", keyedOfLearner("Imported.", (*app.App).IngestKnowledge)},
	{"importAnki", (*request).importAnki},
	{"syncAnki", ofLearner("Worked out.", (*app.App).SyncAnki)},
	{"exportAnki", (*request).exportAnki},
	{"importReviews", (*request).importReviews},
	{"exportReviews", (*request).exportReviews},
	{"getNoteMedia", (*request).noteMedia},
	{"putNoteMedia", (*request).putNoteMedia},
	{"addSampleVault", ofLearner("The sample notes are here.", (*app.App).AddSampleVault)},
	{"removeSampleVault", ofLearner("The sample notes are gone.", (*app.App).RemoveSampleVault)},
	{"getKnowledgeNote", ofLearner("The note.", (*app.App).GetKnowledgeNote)},
	{"listQuestionVersions", ofLearner("How it was.", (*app.App).ListQuestionVersions)},
	{"listProposals", ofLearner("Proposed questions.", (*app.App).ListProposals)},
	{"decideProposals", ofLearner("Decided.", (*app.App).DecideProposals)},
	{"estimateProposals", ofLearner("What it would take.", (*app.App).EstimateProposals)},
	{"runProposals", ofLearner("The run.", (*app.App).RunProposals)},
	{"listLeftOut", ofLearner("What is not learned.", (*app.App).ListLeftOut)},
	{"chooseLearned", ofLearner("Kept.", (*app.App).ChooseLearned)},
	{"listQuestions", ofLearner("Questions.", (*app.App).ListQuestions)},
	{"saveQuestion", ofLearner("Saved.", (*app.App).SaveQuestion)},
	{"listKnowledgeDocuments", ofLearner("Your notes.", (*app.App).ListKnowledgeDocuments)},
	{"getKnowledgeDocument", ofLearner("The note.", (*app.App).GetKnowledgeDocument)},
	{"getKnowledgeQuestion", ofLearner("The question.", (*app.App).GetKnowledgeQuestion)},
	{"getKnowledgeGraph", ofLearner("What there is to learn.", (*app.App).GetKnowledgeGraph)},
	{"correctKnowledgeRelation", ofLearner("Corrected.", (*app.App).CorrectKnowledgeRelation)},
	{"queryKnowledge", ofLearner("Passages.", (*app.App).QueryKnowledge)},
	{"compareQueryBackends", ofLearner("What each backend finds.", (*app.App).CompareQueryBackends)},
	{"getQueryBackendDiagnostics", ofLearner("The search over notes.", (*app.App).GetQueryBackendDiagnostics)},
	{"diagnoseMastery", keyedOfLearner("Recorded.", (*app.App).DiagnoseMastery)},
	{"listMisconceptions", ofLearner("Your misconceptions.", (*app.App).ListMisconceptions)},
	{"getKnowledgeState", ofLearner("The state of the school.", (*app.App).GetKnowledgeState)},
	{"runTutorAction", ofLearner("The tutor.", (*app.App).RunTutorAction)},
	{"getTutorTraceDiagnostics", ofLearner("What the tutor did.", (*app.App).GetTutorTraceDiagnostics)},
	{"getTutorProviderTrends", ofLearner("The tutor's providers.", (*app.App).GetTutorProviderTrends)},
	{"getTutorProviderTrendHistory", ofLearner("The tutor's providers over time.", (*app.App).GetTutorProviderTrendHistory)},
	{"getTutorTelemetry", ofLearner("The tutor's adapters.", (*app.App).GetTutorTelemetry)},
	{"getOrchestrationConfig", ofLearner("How sessions are put together.", (*app.App).GetOrchestrationConfig)},
	{"setOrchestrationConfig", ofLearner("Set.", (*app.App).SetOrchestrationConfig)},
	{"buildLearningPath", ofLearner("What to learn next.", (*app.App).BuildLearningPath)},
	{"planStudySession", ofLearner("A session.", (*app.App).PlanStudySession)},
	{"planPlacement", ofLearner("The next question.", (*app.App).PlanPlacement)},
	{"getRetentionCosts", ofLearner("What recall costs.", (*app.App).GetRetentionCosts)},
	{"undoStudySession", keyedOfLearner("Taken back.", (*app.App).UndoStudySession)},
	{"executeStudySession", keyedOfLearner("Done.", (*app.App).ExecuteStudySession)},
	{"executeSessionAction", keyedOfLearner("Done.", (*app.App).ExecuteSessionAction)},
	{"getSessionHistory", ofLearner("Past sessions.", (*app.App).GetSessionHistory)},
	{"querySessionHistory", ofLearner("Past sessions.", (*app.App).GetSessionHistory)},
	{"evaluateSessionPlan", ofLearner("Judged.", (*app.App).EvaluateSessionPlan)},
	{"getPlanQualityHistory", ofLearner("Past verdicts on plans.", (*app.App).GetPlanQualityHistory)},
	{"getPlanQualityTrend", ofLearner("Whether plans get better.", (*app.App).GetPlanQualityTrend)},
	{"getRuntimePlanThresholds", ofLearner("What a plan is held to.", (*app.App).GetRuntimePlanThresholds)},

	{"captureQuality", ofLearner("Taken.", (*app.App).CaptureQuality)},
	{"getQualityBaseline", ofLearner("The baseline.", (*app.App).GetQualityBaseline)},
	{"setQualityBaseline", ofLearner("Set.", (*app.App).SetQualityBaseline)},
	{"clearQualityBaseline", ofLearner("Cleared.", (*app.App).ClearQualityBaseline)},
	{"evaluateQualityBaseline", ofLearner("Judged.", (*app.App).EvaluateQualityBaseline)},
	{"evaluateQuality", ofLearner("Judged.", (*app.App).EvaluateQuality)},
	{"getQualityHistory", ofLearner("Past snapshots.", (*app.App).GetQualityHistory)},
	{"getQualityTrend", ofLearner("Whether learning gets better.", (*app.App).GetQualityTrend)},
	{"getQualityThresholds", ofLearner("What quality is held to.", (*app.App).GetQualityThresholds)},

	{"getCapabilityMatrix", ofLearner("How every part is doing.", (*app.App).GetCapabilityMatrix)},
	{"getCapabilityRunbook", ofLearner("What to do.", (*app.App).GetCapabilityRunbook)},
	{"verifyCapability", ofLearner("Verified.", (*app.App).VerifyCapability)},
	{"getRunbookHistory", ofLearner("Past verdicts.", (*app.App).GetRunbookHistory)},
	{"getRunbookChecks", ofLearner("How each check went.", (*app.App).GetRunbookChecks)},
	{"getActionQueue", ofLearner("What to do first.", (*app.App).GetActionQueue)},
	{"getRemediationHistory", ofLearner("Past attempts.", (*app.App).GetRemediationHistory)},
	{"recordRemediation", ofLearner("Kept.", (*app.App).RecordRemediation)},

	{"getRuntimeRequestTrace", plain("Your requests.", (*app.App).GetRuntimeRequestTrace)},
}

// method is an application method of the usual form.
type method[In, Out any] func(a *app.App, ctx context.Context, c core.Caller, in In) (Out, error)

// plain serves an application method of the usual form: input by the contract, data in the envelope.
// then, where there is one, sees the result before it is sent.
func plain[In, Out any](message string, m method[In, Out], then ...func(*request, Out)) func(*request) error {
	return func(r *request) error {
		values, err := r.route.Input(r.w, r.Request)
		if err != nil {
			return err
		}
		in, err := routes.Into[In](values)
		if err != nil {
			return err
		}
		out, err := m(r.server.app, r.Context(), r.localized(values), in)
		if err != nil {
			return err
		}
		for _, f := range then {
			f(r, out)
		}
		succeed(r.w, r.route, http.StatusOK, message, out)
		return nil
	}
}

// localized is the caller with the language they asked for: the locale parameter, else Accept-Language.
func (r *request) localized(values map[string]any) core.Caller {
	if tag, ok := values["locale"].(string); ok && tag != "" {
		r.caller.Locale = matchLocale(tag)
	}
	return r.caller
}
