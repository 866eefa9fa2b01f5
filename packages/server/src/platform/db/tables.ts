/**
 * The tables of the database. Times are Unix milliseconds, JSON is text, booleans are 0 and 1, ids that people never
 * see are UUIDv7. Only the tables of the accounts library, and times as an agent reported them, may differ. The rows
 * that nearly every report writes (`agent_report` and `run` in tables/reports.ts) are separate from data that people
 * edit, so that a report touches few pages; no index of these two tables contains a column that a report overwrites.
 */
import type { Selectable } from 'kysely'
import type { ActionAgentTable, ActionChangeTable, ActionTable } from './tables/actions.ts'
import type {
  AgentHoursTable,
  AlertChannelTable,
  AlertDeliveryTable,
  AlertLeaseTable,
  AlertMuteTable,
  AlertRuleTable,
  AlertSettingTable,
  AlertTable,
} from './tables/alerts.ts'
import type {
  CodeTryTable,
  FactorNodeTable,
  FactorRequirementTable,
  FirstHalfTable,
  OidcCallbackTable,
  OidcConnectionTable,
  PasskeyChallengeTable,
  PasskeyTable,
  RecoveryCodeTable,
  SessionProofTable,
  TotpTable,
  WrongCodeTable,
} from './tables/factors.ts'
import type {
  AccountMailTable,
  AccountTable,
  CountedSendTable,
  EmailConfirmationTable,
  InvitationTable,
  LinkTable,
  MemberTable,
  OnboardingTable,
  OperatorInvitationTable,
  PersonDisabledTable,
  PersonOperatorTable,
  PersonTable,
  SessionTable,
  SignInTable,
  WorkspaceDeletedTable,
  WorkspaceTable,
} from './tables/people.ts'
import type { BotTable, BotTokenTable, ProductTable, WorkspaceProductTable } from './tables/products.ts'
import type {
  AgentOfflineTable,
  AgentReportTable,
  AgentTable,
  AgentTagTable,
  CommandTable,
  LevelChangeTable,
  MachineChangeTable,
  RunTable,
  UpdateEventTable,
  UsageDayTable,
} from './tables/reports.ts'
import type {
  AgentOldNameTable,
  AgreedTable,
  AuditTable,
  LogTable,
  NodeMarkTable,
  ServiceAwayTable,
  ServiceBackTable,
  ServiceBackupTable,
  ServiceBeatTable,
  UsageDeletedTable,
  VersionDayTable,
  WorkspaceLimitTable,
} from './tables/service.ts'
import type {
  BlueprintTable,
  BlueprintVersionTable,
  InstallCodeTable,
  ReleaseTable,
  RolloutAgentTable,
  RolloutTable,
} from './tables/updates.ts'
import type { SavedViewTable } from './tables/views.ts'

export interface Tables {
  agent: AgentTable
  agent_report: AgentReportTable
  agent_tag: AgentTagTable
  run: RunTable
  usage_day: UsageDayTable
  usage_deleted: UsageDeletedTable
  version_day: VersionDayTable
  level_change: LevelChangeTable
  agent_offline: AgentOfflineTable
  command: CommandTable
  log: LogTable
  product: ProductTable
  workspace_product: WorkspaceProductTable
  blueprint: BlueprintTable
  blueprint_version: BlueprintVersionTable
  install_code: InstallCodeTable
  bot: BotTable
  bot_token: BotTokenTable
  machine_change: MachineChangeTable
  update_event: UpdateEventTable
  rollout: RolloutTable
  rollout_agent: RolloutAgentTable
  action: ActionTable
  action_agent: ActionAgentTable
  action_change: ActionChangeTable
  saved_view: SavedViewTable
  service_beat: ServiceBeatTable
  service_away: ServiceAwayTable
  service_backup: ServiceBackupTable
  service_back: ServiceBackTable
  node_mark: NodeMarkTable
  release: ReleaseTable
  agreed: AgreedTable
  audit: AuditTable
  agent_old_name: AgentOldNameTable
  workspace_limit: WorkspaceLimitTable
  counted_send: CountedSendTable
  link: LinkTable
  account_mail: AccountMailTable
  sign_in: SignInTable
  email_confirmation: EmailConfirmationTable
  onboarding: OnboardingTable
  person_disabled: PersonDisabledTable
  person_operator: PersonOperatorTable
  operator_invitation: OperatorInvitationTable
  workspace_deleted: WorkspaceDeletedTable
  totp: TotpTable
  recovery_code: RecoveryCodeTable
  wrong_code: WrongCodeTable
  code_try: CodeTryTable
  session_proof: SessionProofTable
  first_half: FirstHalfTable
  factor_requirement: FactorRequirementTable
  factor_node: FactorNodeTable
  passkey: PasskeyTable
  passkey_challenge: PasskeyChallengeTable
  oidc_connection: OidcConnectionTable
  oidc_callback: OidcCallbackTable
  alert_rule: AlertRuleTable
  alert_setting: AlertSettingTable
  alert: AlertTable
  alert_mute: AlertMuteTable
  alert_channel: AlertChannelTable
  alert_delivery: AlertDeliveryTable
  alert_lease: AlertLeaseTable
  agent_hours: AgentHoursTable
  workspace: WorkspaceTable
  user: PersonTable
  session: SessionTable
  account: AccountTable
  member: MemberTable
  invitation: InvitationTable
}

export type AgentRow = Selectable<AgentTable>
export type AgentReportRow = Selectable<AgentReportTable>
export type RunRow = Selectable<RunTable>
export type CommandRow = Selectable<CommandTable>
export type LogRow = Selectable<LogTable>
export type AuditRow = Selectable<AuditTable>
export type InstallCodeRow = Selectable<InstallCodeTable>
export type BotRow = Selectable<BotTable>
export type RolloutDbRow = Selectable<RolloutTable>
export type ActionDbRow = Selectable<ActionTable>
export type ActionAgentDbRow = Selectable<ActionAgentTable>
export type RolloutAgentDbRow = Selectable<RolloutAgentTable>
export type BotTokenRow = Selectable<BotTokenTable>
export type AlertRow = Selectable<AlertTable>
export type AlertRuleRow = Selectable<AlertRuleTable>
export type AlertChannelRow = Selectable<AlertChannelTable>
export type AlertDeliveryRow = Selectable<AlertDeliveryTable>
