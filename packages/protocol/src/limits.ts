/**
 * Every limit of the contract as a named constant. The number in brackets is the section of docs/protocol.md that sets
 * it; `D12` and the like are rules of docs/decisions where the contract leaves it open. Sizes are in bytes, texts in
 * Unicode code points; durations have their unit in the name.
 */
export const limits = {
  /** [8] Largest report body. */
  reportBytes: 256 * 1024,
  /** [8] Largest decoded text of a log upload, in UTF-8 bytes. */
  logTextBytes: 512 * 1024,
  /** [8, D7] Largest raw body of a log upload. A JSON escape takes up to six bytes for one. */
  logBodyBytes: 3_200_000,
  /** [4] Largest body of the two install calls, in bytes; a code is far shorter. */
  installBodyBytes: 4 * 1024,
  /** [D17] Largest answer that a reporter reads, in bytes. */
  answerBytes: 1024 * 1024,
  /** [4, rule 3] Largest bundle. */
  bundleBytes: 20 * 1024 * 1024,
  /** [D59] Largest runtime file. */
  runtimeBytes: 32 * 1024 * 1024,

  /** [2.1] */
  label: 80,
  /** [2.1, 8] Every `detail`. */
  detail: 300,
  /** [2.1] */
  health: 50,
  /** [2.2] */
  runId: 190,
  /** [2.2] */
  runKind: 40,
  /** [2.2] */
  runStatus: 20,
  /** [2.2] */
  logName: 190,
  /** [2.5, 2.6] */
  appliedMessage: 300,
  /** [2.11] */
  statusAgentVersion: 60,

  /** [D12] Names, titles, kinds, models and other short texts that the contract does not limit. */
  name: 200,
  /** [D12, D21] A longer link is dropped, never cut, since a cut link is another link. */
  url: 2000,
  /** [D12] One cell of a table, or one value of a kv panel. */
  cell: 300,
  /** [D12] One line of a text panel, or the help of a setting. */
  line: 500,
  /** The value of a text setting. */
  settingText: 2000,
  /** [D12] */
  active: 50,
  /** [D12] */
  gauges: 50,
  /** [D12] */
  panels: 20,
  /** [D12] Items, rows and lines of one panel. */
  panelItems: 200,
  /** [D12] */
  columns: 12,
  /** [D12] */
  subjects: 20,
  /** [D12] Runs that are read from one report. If there are more, the newest are read. */
  runsPerReport: 2000,
  /** [D12] */
  acks: 100,
  /** [2.7] The id of a command, which is echoed and never cut. */
  commandId: 2000,
  /** [D19] Bytes of acks that a reporter puts into one report. The others go into the next ones. */
  ackBytes: 64 * 1024,
  /** [D12] Settings in a schema, and values reported with it. */
  settings: 100,
  /** [D12] */
  options: 100,
  /** [D12] */
  models: 50,
  /** [D12] */
  controls: 20,
  /**
   * [D14] A known field that is nested deeper is dropped. Depth does not matter in unknown fields, which are ignored.
   */
  depth: 32,

  /** [2.2] Runs kept per agent. */
  runsKept: 2000,
  /** [D1] Commands in one answer. */
  commandsPerAnswer: 20,
  /** [3.2, 8] A command times out after this long if it was not delivered; once delivered, if it is not answered. */
  commandSeconds: 600,
  /** [D7] How long a log command accepts its upload after it was delivered. */
  logAnswerSeconds: 24 * 3600,
  /** [8] */
  logRetentionDays: 30,
  /** [7, 8] */
  reportsPerMinute: 60,
  /** [7, 8] */
  logsPerMinute: 10,
  /** [7, 8] Preview and redeem together, per address. */
  installsPerMinute: 20,

  /** [1, 8] */
  intervalSeconds: 30,
  /** The interval that the service asks for while somebody looks at the agent's page. */
  watchedIntervalSeconds: 5,
  /** [D18] The interval that the service asks for while reports come faster than it can store them. */
  loadedIntervalSeconds: 60,
  /** [D18] The range to which a reporter clamps the interval it was asked for. */
  minIntervalSeconds: 5,
  maxIntervalSeconds: 300,
  /** [D17] */
  requestSeconds: 15,
  /** [D20] An agent is offline after three intervals without a report, but never before this. */
  minOfflineSeconds: 90,
  /** [D65] A status file that is older than this is shown with its age. */
  statusOldSeconds: 300,
  /** [D65] The minimum age at which an old status file is a warning. */
  statusLateSeconds: 600,
  /** [D19] The size to which the reporter itself cuts its report. */
  reporterBytes: 250 * 1024,
  /** [D4] How long, and how many at least, the agent's side remembers command ids. */
  journalSeconds: 7 * 86400,
  journalIds: 1000,

  /** [5, rule 5] */
  installCodeSeconds: 15 * 60,
  /** [8] */
  botsPerWorkspace: 10,
  /** [8] */
  botTokenDays: 365,
  /** [3.7] */
  bindingProbeSeconds: 300,
  /** [3.3] */
  windowSeconds: 30 * 60,
  /** [3.3] */
  fetchRetrySeconds: 600,
  /** [3.5] */
  trialSeconds: 300,
  /** [4, acceptance rules] */
  bundleEntries: 5000,
  /**
   * [4, D49] Distinct folders of a bundle, listed or only implied by the paths of files. Stricter than the contract.
   */
  bundleFolders: 5000,
  bundleUnpackedBytes: 100 * 1024 * 1024,
  bundleFileBytes: 50 * 1024 * 1024,
  /** [D47] */
  manifestBytes: 64 * 1024,
  manifestDepth: 16,
  /** [D48] */
  version: 128,
  /** [D50] */
  agentName: 63,
} as const
