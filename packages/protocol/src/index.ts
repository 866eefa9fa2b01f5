/**
 * The contract between service and agents as pure code: no I/O, no clock, no dependency. Section numbers in comments
 * are those of docs/protocol.md.
 */

export * from './answer.ts'
export { certificateWords } from './certificates.ts'
export * from './commands.ts'
export { isShallow } from './depth.ts'
export { emailOddity, isEmail, lookOfEmail, maxEmailLength, readEmail, storedForms } from './email.ts'
export { changeEnvText, doubtfulValues, readDotenvText, readEnvText, repeatedNames } from './env-file.ts'
export { type Dictionary, forEachEntry, isObject } from './fields.ts'
export * from './install.ts'
export { readJson } from './json.ts'
export { parseAsMaps } from './json-large.ts'
export { repeatedKeys, whyNotJson } from './json-reason.ts'
export * from './levels.ts'
export * from './limits.ts'
export { isLink } from './link.ts'
export { type LogUpload, readLogUpload } from './log.ts'
export type { Cell, Panel, PanelType } from './panels.ts'
export {
  codeIn,
  hiddenCharacterIn,
  listIn,
  numberIn,
  readName,
  readPasted,
  replaceHidden,
  trimInvisible,
} from './pasted.ts'
export { elsewhereWords, isOwnMachineOnly, ownMachineWords } from './reach.ts'
export * from './refusals.ts'
export {
  type Ack,
  type ActiveRun,
  type AgentAccount,
  type AppliedUpdate,
  type Control,
  controls,
  type Gauge,
  type HealthItem,
  keptReport,
  logNames,
  type Outcome,
  type ReadRun,
  type Report,
  type Run,
  type RuntimeInfo,
  readReport,
  runs,
  type State,
  type StoppedBy,
  type Subject,
} from './report.ts'
export {
  activeLine,
  failedLogName,
  failedStatuses,
  isInProgress,
  jobLogName,
  newestRuns,
  runSeconds,
  runSortKey,
} from './runs.ts'
export * from './runtime-texts.ts'
export { schemas } from './schemas.ts'
export {
  boundsOf,
  checkValues,
  type Setting,
  type Settings,
  type SettingType,
  type SettingValue,
  type SettingValues,
  settingTypes,
  wrongWithSetting,
} from './settings.ts'
export { readStatusFile, type StatusFile } from './status-file.ts'
export {
  alignedRows,
  foreignLine,
  safeJson,
  safeLine,
  safeText,
  terminalText,
} from './terminal.ts'
export { clean, cleanText, cut, endOfText, shortened, shown } from './text.ts'
export { isUtf16, readText } from './text-file.ts'
export * from './times.ts'
export * from './tokens.ts'
export * from './versions.ts'
