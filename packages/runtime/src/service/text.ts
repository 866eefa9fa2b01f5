/** The text of units. A unit starts `svc run` with absolute paths, and never ends the agent with the runtime. Pure. */
export interface UnitFacts {
  /** The agent's name. */
  readonly agent: string
  /** The unit's name, as its manager knows it. */
  readonly name: string
  readonly root: string
  /** The command that starts the program: an absolute path and its arguments, up to `run`. */
  readonly launch: readonly string[]
  readonly stopSeconds: number
  /** The user that a unit of the system runs as. */
  readonly user?: string
  /** The PATH that the unit's program needs to find programs. */
  readonly path: string
}

/** A systemd unit. The default KillMode would kill the agent with the runtime, at every update and crash. */
export const systemdUnit = ({
  agent,
  root,
  launch,
  stopSeconds,
  user,
  path,
}: UnitFacts): string => `# Written by "svc service install"; it is replaced by the next one.
# svc folder: ${root}
[Unit]
Description=svc agent ${percent(agent)}
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=0

[Service]
Type=exec
${user === undefined ? '' : `User=${percent(user)}\n`}WorkingDirectory=${percent(root)}
Environment=${word(`PATH=${path}`)} "MALLOC_ARENA_MAX=1"
ExecStart=${[...launch, 'run', '--dir', root].map(word).join(' ')}
KillMode=process
OOMPolicy=continue
Restart=always
RestartSec=2
TimeoutStopSec=${stopSeconds + 20}
UMask=0077

[Install]
WantedBy=${user === undefined ? 'default.target' : 'multi-user.target'}
`

/**
 * A launchd property list. AbandonProcessGroup leaves the agent alone; this follows the documentation of launchd and
 * was not tried.
 */
export const launchdPlist = ({
  name,
  root,
  launch,
  stopSeconds,
  path,
}: UnitFacts): string => `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<!-- Written by "svc service install". svc folder: ${xml(root).replaceAll('--', '- -')} -->
<dict>
  <key>Label</key><string>${xml(name)}</string>
  <key>ProgramArguments</key>
  <array>
${[...launch, 'run', '--dir', root].map((part) => `    <string>${xml(part)}</string>`).join('\n')}
  </array>
  <key>WorkingDirectory</key><string>${xml(root)}</string>
  <key>EnvironmentVariables</key><dict><key>PATH</key><string>${xml(path)}</string></dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><true/>
  <key>AbandonProcessGroup</key><true/>
  <key>ExitTimeOut</key><integer>${stopSeconds + 20}</integer>
  <key>StandardOutPath</key><string>/dev/null</string>
  <key>StandardErrorPath</key><string>/dev/null</string>
</dict>
</plist>
`

export const unitName = (agent: string): string => `svc-${agent}.service`
export const labelOf = (agent: string): string => `svc.agent.${agent}`

/** The folder that one of our units belongs to. */
export const folderOf = (unit: string): string | undefined =>
  /^# svc folder: (.*)$/m.exec(unit)?.[1] ?? /svc folder: (.*) -->/.exec(unit)?.[1]

/** The user that a unit of the system runs as. */
export const userOf = (unit: string): string | undefined => /^User=(.+)$/m.exec(unit)?.[1]?.replaceAll('%%', '%')

/**
 * True if a unit makes Node load a runtime's file directly, as an older svc wrote it (D38). Python uses the starter by
 * itself.
 */
export function startsItself(unit: string, runtime: string): boolean {
  const [, ...words] = /^ExecStart=(.*)$/m.exec(unit)?.[1]?.split(/(?<=") (?=")/) ?? []
  const [, ...strings] = [...unit.matchAll(/<string>.*<\/string>/g)].map(([text]) => text).slice(1) // the first is the label
  const python = /^ExecStart="[^"]*python[\d.]*"|<array>\s*<string>[^<]*python[\d.]*<\/string>/m.test(unit)
  return !python && (words.includes(word(runtime)) || strings.includes(`<string>${xml(runtime)}</string>`))
}

/** Quotes a word of ExecStart, and escapes everything that systemd would replace. */
const word = (text: string): string =>
  `"${percent(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('$', '$$$$')}"`
const percent = (text: string): string => text.replaceAll('%', '%%')
const xml = (text: string): string => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)
