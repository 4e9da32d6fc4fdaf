/**
 * The names of this package for programs: open a house, then prepare, start, resume, describe and look at teams as the
 * command line does. What is not here is not public and may change at any time.
 *
 * The way in: `openPlaces` looks around a directory, `houseAt` adds the machine and the operator, and every other
 * function takes that house. Nothing of this package reads the environment of the process: keys of providers are given
 * in `ModelSettings`, the variables that tools see in `toolEnvironment`.
 */

export type { LintReport } from './catalog/lint.js';
export { type OpenedPlaces, openPlaces, type PlacesRequest } from './catalog/open-places.js';
export { PACKAGE_ROOT } from './catalog/package-root.js';
export { type CataloguePlaces, defaultHome } from './catalog/tiers.js';
export { NO_APPROVALS, type Trust, type TrustQuestion, type TrustVerdict } from './catalog/trust.js';
export type { Fact, FactOf, FactType } from './events/event.js';
export { fact } from './events/event.js';
export type { LogEntry } from './events/log-entry.js';
export { logEntry, RECORD_VERSION } from './events/log-entry.js';
export type { TranscriptEntry } from './events/transcript-entry.js';
export { transcriptEntry } from './events/transcript-entry.js';
export { Gates } from './models/pacing-gates.js';
export {
  type DeclaredModel,
  type DeclaredProvider,
  type ModelPrice,
  type ModelSettings,
  NO_MODEL_SETTINGS,
} from './models/settings.js';
export { cleanupTeam } from './runtime/cleanup-team.js';
export { describeRecipe, type RecipeDescription } from './runtime/describe.js';
export { type DescribedPolicy, describePolicy } from './runtime/describe-policy.js';
export {
  type DescribedPart,
  type DescribedPrompt,
  describePrompt,
  type PromptOrder,
} from './runtime/describe-prompt.js';
export type { Found } from './runtime/find-team.js';
export { type Delegation, type House, type Household, houseAt, NO_DELEGATION } from './runtime/house.js';
export { lintCatalogue } from './runtime/lint.js';
export type { Ended, LiveTeam, TeamOptions } from './runtime/live-team.js';
export { answerRequest, type Operated, sendToTeam, stopTeam } from './runtime/operator.js';
export type { Answer, Answered } from './runtime/operator-words.js';
export { type PreparedRun, prepareRun, type RunOrder, type RunPlan } from './runtime/plan/prepare-run.js';
export { type Resumed, type ResumeOptions, resumeTeam } from './runtime/resume-team.js';
export { seenToItsEnd } from './runtime/seen-to-its-end.js';
export { startTeam } from './runtime/start-team.js';
export {
  type LiveStatus,
  listTeams,
  type TeamSummary,
  teamLog,
  teamResult,
  teamStatus,
  teamTranscript,
} from './runtime/teams.js';
export { type Verification, verifyTeam } from './runtime/verify-team.js';
export { type Clock, systemClock } from './shared/clock.js';
export {
  BugError,
  CancelledError,
  CodedError,
  FatalError,
  RetryableError,
  UserError,
} from './shared/errors.js';
export { type Finding, formatFinding, hasErrors, type Severity } from './shared/findings.js';
export { NO_SECRETS, type RedactedStream, type Redactor, redactorOf } from './shared/secrets/redactor.js';
export type { Secret } from './shared/secrets/secret-forms.js';
export { DEFAULT_SKILL_SETTINGS, type SkillSettings } from './skills/settings.js';
export type { TeamState } from './team/show/view.js';
export { NO_WEB_SETTINGS, type WebSettings } from './tools/web/settings.js';
