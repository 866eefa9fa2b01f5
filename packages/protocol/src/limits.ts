/**
 * Every limit of the contract as a named constant. The number in brackets is the section of docs/protocol.md that sets
 * the limit; a `D` with a number is a rule of docs/decisions, for limits that the contract leaves open. Sizes are in
 * bytes and lengths of texts in Unicode code points; names of durations end in their unit.
 */
export const limits = {
  /** [8] Maximum size of a report's body. */
  reportBytes: 256 * 1024,
  /** [8] Maximum size of the text of a log upload, decoded, in UTF-8 bytes. */
  logTextBytes: 512 * 1024,
  /**
   * [8, D7] Maximum size of the raw body of a log upload. It is larger than the maximum size of the text, since JSON
   * may write one byte as an escape of six.
   */
  logBodyBytes: 3_200_000,
  /** [4] Maximum size of the body of an install call, `preview` or `redeem`. The body contains only an install code. */
  installBodyBytes: 4 * 1024,
  /** [D17] Maximum size of an answer that a reporter reads, in bytes. */
  answerBytes: 1024 * 1024,
  /** [4, rule 3] Maximum size of a bundle. */
  bundleBytes: 20 * 1024 * 1024,
  /** [D59] Maximum size of a runtime file. */
  runtimeBytes: 32 * 1024 * 1024,

  /** [2.1] Maximum length of the label of a state. */
  label: 80,
  /** [2.1, 8] Maximum length of any `detail`. */
  detail: 300,
  /** [2.1] Maximum number of health items in a report. */
  health: 50,
  /** [2.2] Maximum length of the id of a run. */
  runId: 190,
  /** [2.2] Maximum length of the kind of a run. */
  runKind: 40,
  /** [2.2] Maximum length of the status of a run. */
  runStatus: 20,
  /** [2.2] Maximum length of the name of a log. */
  logName: 190,
  /** [2.5, 2.6] Maximum length of the message about an update's outcome. */
  appliedMessage: 300,
  /** [2.11] Maximum length of the agent's version in a status file. */
  statusAgentVersion: 60,

  /** [D12] Maximum length of names, titles, kinds, models and other short texts that the contract does not limit. */
  name: 200,
  /**
   * [D12, D21] Maximum length of a link. A longer link is dropped and never cut, since a cut link leads somewhere else.
   */
  url: 2000,
  /** [D12] Maximum length of one cell of a table, or of one value of a kv panel. */
  cell: 300,
  /** [D12] Maximum length of a line of a text panel, the help of a setting, a description, or a secret's purpose. */
  line: 500,
  /** Maximum length of the value of a text setting. */
  settingText: 2000,
  /** [D12] Maximum number of runs in progress (`active`) in a report. */
  active: 50,
  /** [D12] Maximum number of gauges in a report. */
  gauges: 50,
  /** [D12] Maximum number of panels in a report. */
  panels: 20,
  /** [D12] Maximum number of items, rows or lines in one panel. */
  panelItems: 200,
  /** [D12] Maximum number of columns in a table. */
  columns: 12,
  /** [D12] Maximum number of subjects of one run. */
  subjects: 20,
  /**
   * [D12] Maximum number of runs that the service reads from one report. If a report has more runs, the service reads
   * the newest.
   */
  runsPerReport: 2000,
  /** [D12] Maximum number of acks in a report. */
  acks: 100,
  /** [2.7] Maximum length of the id of a command. The agent repeats the id in its ack, so the id is never cut. */
  commandId: 2000,
  /** [D19] Maximum total size of the acks that a reporter puts into one report. Further acks go into later reports. */
  ackBytes: 64 * 1024,
  /** [D12] Maximum number of settings in a schema, and of values in one report. */
  settings: 100,
  /** [D12] Maximum number of options of one setting. */
  options: 100,
  /** [D12] Maximum number of models of one run. */
  models: 50,
  /** [D12] Maximum number of controls in a report. */
  controls: 20,
  /**
   * [D14] Maximum depth of nesting of a JSON value that is kept, such as the payload of a command. Unknown fields are
   * ignored, so they may have any depth.
   */
  depth: 32,

  /** [2.2] Maximum number of runs that the service keeps per agent. */
  runsKept: 2000,
  /** [D1] Maximum number of commands in one answer. */
  commandsPerAnswer: 20,
  /**
   * [3.2, 8] Time after which a pending command times out. It counts from the command's creation and, once the command
   * is delivered, from its delivery.
   */
  commandSeconds: 600,
  /** [D7] Time during which an upload is accepted, from the delivery of its `log` command. */
  logAnswerSeconds: 24 * 3600,
  /** [8] Number of days for which an uploaded log is kept. */
  logRetentionDays: 30,
  /** [7, 8] Maximum number of reports of one agent per minute. */
  reportsPerMinute: 60,
  /** [7, 8] Maximum number of log uploads of one agent per minute. */
  logsPerMinute: 10,
  /** [7, 8] Maximum number of install calls (preview and redeem together) from one address per minute. */
  installsPerMinute: 20,

  /** [1, 8] The default interval between two reports. */
  intervalSeconds: 30,
  /** The reporting interval that the service asks an agent for while somebody has the agent's page open. */
  watchedIntervalSeconds: 5,
  /**
   * [D18] The reporting interval that the service asks for while reports arrive faster than it can store them.
   */
  loadedIntervalSeconds: 60,
  /**
   * [D18] The range of the reporting interval. A reporter that is asked for an interval outside the range uses the
   * nearest value in it.
   */
  minIntervalSeconds: 5,
  maxIntervalSeconds: 300,
  /** [D17] Timeout of a request that a reporter sends to the service. */
  requestSeconds: 15,
  /**
   * [D20] An agent counts as offline after three intervals without a report, but never earlier than after this time.
   */
  minOfflineSeconds: 90,
  /** [D67] Interval at which an agent made by `svc new` writes its status file even if nothing has changed. */
  statusEverySeconds: 60,
  /**
   * [D65] A status file is old when its age is more than `statusOldSeconds` and more than `statusOldGaps` times the
   * usual gap between two writes. The page then shows its age.
   */
  statusOldSeconds: 300,
  statusOldGaps: 2,
  /**
   * [D65] An old status file becomes a warning when its age is more than `statusLateSeconds` and more than
   * `statusLateGaps` times the usual gap between two writes.
   */
  statusLateSeconds: 600,
  statusLateGaps: 4,
  /**
   * [D67] Age at which a status file becomes a warning while the usual gap is not known yet. It is longer than an hour,
   * so that an agent that writes every hour causes no warning.
   */
  statusOnceSeconds: 4200,
  /**
   * [D19] Maximum size of a report that a reporter sends. The reporter shortens a larger report to this size.
   */
  reporterBytes: 250 * 1024,
  /**
   * [D4] Time for which the runtime remembers the id of a received command. The newest `journalIds` ids are kept
   * longer.
   */
  journalSeconds: 7 * 86400,
  journalIds: 1000,

  /** [5, rule 5] Time after which an install code expires. */
  installCodeSeconds: 15 * 60,
  /** [8] Maximum number of bots in a workspace. */
  botsPerWorkspace: 10,
  /** [8] Number of days for which the token of a bot is valid. */
  botTokenDays: 365,
  /** [3.7] Minimum time between two probes of the same binding. */
  bindingProbeSeconds: 300,
  /** [3.3] Time after a trial during which the runtime still watches a new version and can roll it back. */
  windowSeconds: 30 * 60,
  /** [3.3] Average time that the runtime waits before it repeats a failed download of a version. */
  fetchRetrySeconds: 600,
  /** [3.5] Duration of the trial of a new runtime version. */
  trialSeconds: 300,
  /** [4, acceptance rules] Maximum number of entries in the zip file of a bundle. */
  bundleEntries: 5000,
  /**
   * [4, D49] Maximum number of distinct folders in a bundle: folders that the zip file lists, and folders that
   * occur only in the paths of files. This limit is stricter than the contract.
   */
  bundleFolders: 5000,
  bundleUnpackedBytes: 100 * 1024 * 1024,
  bundleFileBytes: 50 * 1024 * 1024,
  /** [D47] Maximum size of a manifest, and the maximum depth of its nesting. */
  manifestBytes: 64 * 1024,
  manifestDepth: 16,
  /** [D48] Maximum length of a version. */
  version: 128,
  /** [D50] Maximum length of an agent's name. */
  agentName: 63,
} as const

/**
 * Formats a limit in binary units, as the contract does: `20 MB`, `64 KB`. The number is rounded down, so that a size
 * beyond the limit is always larger than the number shown.
 */
export const limitText = (bytes: number): string =>
  bytes % 1_048_576 === 0 ? `${bytes / 1_048_576} MB` : `${Math.floor(bytes / 1024)} KB`

const sizeUnits = [
  [1e9, 'GB'],
  [1e6, 'MB'],
  [1e3, 'KB'],
] as const

/** Formats a number of bytes for people, in decimal units with one digit: `512 B`, `1.9 MB`, `1.0 GB`. */
export function sizeText(bytes: number): string {
  // A number that would be rounded to 1000.0 of a unit gets the next unit.
  const [size, unit] = sizeUnits.find(([each]) => bytes >= each * 0.99995) ?? []
  return size === undefined ? `${bytes} B` : `${(bytes / size).toFixed(1)} ${unit}`
}
