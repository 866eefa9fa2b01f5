/**
 * Generates the text of unit files. A unit starts `svc run` with absolute paths, and does not end the agent when the
 * runtime ends.
 */
export interface UnitFacts {
  readonly agent: string
  /** The name of the unit, as its manager knows it. */
  readonly name: string
  readonly root: string
  /** The words before `run` in the command line of the unit: the absolute path of a program, and its arguments. */
  readonly launch: readonly string[]
  readonly stopSeconds: number
  /** The user as which a unit of the system runs. */
  readonly user?: string
  /** The PATH of the unit's process. It must contain the programs that the agent needs. */
  readonly path: string
}

/**
 * Generates a systemd unit. It sets KillMode, since the default would kill the agent together with the runtime, at
 * every update and crash.
 */
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
 * Generates a launchd property list. AbandonProcessGroup keeps launchd from ending the agent; this follows the
 * documentation of launchd and was not tried.
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
export const launchdLabel = (agent: string): string => `svc.agent.${agent}`

/** The agent's folder that is written in one of our unit files; undefined for any other file. */
export const folderOf = (unit: string): string | undefined =>
  /^# svc folder: (.*)$/m.exec(unit)?.[1] ?? /svc folder: (.*) -->/.exec(unit)?.[1]

/** The user as which a unit of the system runs. */
export const unitUser = (unit: string): string | undefined => /^User=(.+)$/m.exec(unit)?.[1]?.replaceAll('%%', '%')

/**
 * True for a unit of an older svc, which makes Node load the runtime's file `svc.pyz` without `start.cjs` (D38). A unit
 * that starts Python is not such a unit, since `svc.pyz` then uses `start.cjs` by itself.
 */
export function startsRuntimeDirectly(unit: string, runtime: string): boolean {
  const [, ...words] = /^ExecStart=(.*)$/m.exec(unit)?.[1]?.split(/(?<=") (?=")/) ?? []
  // the first string of a launchd property list is its label
  const [, ...strings] = [...unit.matchAll(/<string>.*<\/string>/g)].map(([text]) => text).slice(1)
  const python = /^ExecStart="[^"]*python[\d.]*"|<array>\s*<string>[^<]*python[\d.]*<\/string>/m.test(unit)
  return !python && (words.includes(word(runtime)) || strings.includes(`<string>${xml(runtime)}</string>`))
}

/** The words with which a unit starts its program: the absolute path of the program, then its arguments. */
export function startWordsOf(unit: string): string[] {
  const [, line] = /^ExecStart=(.*)$/m.exec(unit) ?? []
  if (line !== undefined) return [...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, each = '']) => unquoted(each))
  const [, array = ''] = /<key>ProgramArguments<\/key>\s*<array>([\s\S]*?)<\/array>/.exec(unit) ?? []
  return [...array.matchAll(/<string>(.*)<\/string>/g)].map(([, each = '']) => unescapeXml(each))
}

/** The PATH that a unit gives its process; undefined if it gives none. */
export function unitPathOf(unit: string): string | undefined {
  const [, systemd] = /^Environment=.*?"PATH=((?:[^"\\]|\\.)*)"/m.exec(unit) ?? []
  if (systemd !== undefined) return unquoted(systemd)
  const [, launchd] = /<key>PATH<\/key><string>(.*?)<\/string>/.exec(unit) ?? []
  return launchd === undefined ? undefined : unescapeXml(launchd)
}

/** The same unit with other words before `run` in its command line and, if `path` is given, another PATH. */
export function replaceStartCommand(
  unit: string,
  root: string,
  launch: readonly string[],
  path: string | undefined,
): string {
  const words = [...launch, 'run', '--dir', root]
  return unit
    .replace(/^ExecStart=.*$/m, () => `ExecStart=${words.map(word).join(' ')}`)
    .replace(/(<key>ProgramArguments<\/key>\s*<array>\n)[\s\S]*?(\n\s*<\/array>)/, (_, before, after) =>
      [before, words.map((part) => `    <string>${xml(part)}</string>`).join('\n'), after].join(''),
    )
    .replace(/^(Environment=.*?)"PATH=(?:[^"\\]|\\.)*"/m, (all, before) =>
      path === undefined ? all : `${before}${word(`PATH=${path}`)}`,
    )
    .replace(/(<key>PATH<\/key><string>).*?(<\/string>)/, (all, before, after) =>
      path === undefined ? all : `${before}${xml(path)}${after}`,
    )
}

/** Quotes a word for ExecStart, and escapes the characters that systemd would otherwise interpret. */
const word = (text: string): string =>
  `"${percent(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('$', '$$$$')}"`
const percent = (text: string): string => text.replaceAll('%', '%%')
const unquoted = (quoted: string): string =>
  quoted.replace(/\\(.)|\$\$|%%/g, (all, escaped: string | undefined) => escaped ?? all.slice(1))
const unescapeXml = (escaped: string): string =>
  escaped.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
const xml = (text: string): string => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)
