/** Defines the format of the manifest: its keys, one line each, and their defaults. */
import { controls, isVersion, limits } from '@svc/protocol'
import { pathKey } from '../key.ts'
import { wrongWithAgentName, wrongWithProductId, wrongWithSecretName } from './names.ts'
import { type Need, needs } from './needs.ts'
import {
  addFinding,
  boolean,
  list,
  number,
  type ObjectOf,
  object,
  oneOf,
  quote,
  text,
  withCheck,
  type YamlReader,
} from './reading.ts'
import { type ManifestSetting, settings } from './settings.ts'

/**
 * Checks a path in a manifest. It must be relative, written with `/`, inside the agent's folder, and outside the
 * runtime's own `.svc/` (4, acceptance rules).
 */
function wrongWithPath(path: string): string | undefined {
  if (path.includes('\\')) return 'must not hold a backslash'
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return 'must be relative to the folder of the manifest'
  const segments = path.split('/')
  if (segments.includes('..')) return 'must not climb with ".."'
  if (segments.some((s) => s === '' || s === '.')) return 'must be written plainly, without "." or empty segments'
  if (segments.some((s) => /[. ]$/.test(s))) return 'must not hold a segment that ends in a dot or a space'
  return pathKey(segments[0] ?? '') === '.svc' ? 'must not be in .svc' : undefined
}

/** Checks the folder in which the agent's process is started. `.` means the folder of the manifest itself. */
const wrongWithFolder = (path: string): string | undefined => (path === '.' ? undefined : wrongWithPath(path))

/** Checks a path of the manifest's key `state`. A path that ends with a slash stands for a folder. */
const wrongWithStatePath = (path: string): string | undefined => wrongWithPath(withoutSlash(path))
const withoutSlash = (path: string): string => path.replace(/\/$/, '')

/** The file name of the manifest, which is at the root of a bundle (2.10) and of the folder that `svc report` reads. */
export const manifestName = 'svc.agent.yaml'

const path = text(500, wrongWithPath)
const restarts = ['always', 'on-failure', 'never'] as const
export type Restart = (typeof restarts)[number]

const argument = text(4000)
const processKeys = {
  kind: oneOf(['process']),
  command: list(argument, 100),
  workdir: text(500, wrongWithFolder),
  restart: oneOf(restarts),
  stop_seconds: number(1, 300),
}
const composeKeys = {
  kind: oneOf(['compose']),
  files: list(path, 10, (file) => file),
  restart: oneOf(restarts),
  stop_seconds: number(1, 300),
}
export type Runtime =
  | {
      readonly kind: 'process'
      readonly command: readonly string[]
      readonly workdir: string
      readonly restart: Restart
      readonly stop_seconds: number
    }
  | {
      readonly kind: 'compose'
      readonly files: readonly string[]
      readonly restart: Restart
      readonly stop_seconds: number
    }

const usual = { restart: 'always', stop_seconds: 10 } as const
const processRuntime = withCheck(object(processKeys, 'kind', 'command'), ({ command }) =>
  command.length > 0 ? undefined : { path: 'command', message: 'command must name a program.' },
)
const composeRuntime = withCheck(object(composeKeys, 'kind', 'files'), ({ files }) =>
  files.length > 0 ? undefined : { path: 'files', message: 'files must name a compose file.' },
)
const kind = oneOf(['process', 'compose'])

/** Reads the key `runtime` of the manifest. Its value has a key `kind`, which decides which other keys are allowed. */
const runtime: YamlReader<Runtime> = (v, at, reading) => {
  if (v.is !== 'map') return addFinding(reading, v.at, at, 'runtime must be keys and values.')
  const written = v.entries.find((e) => e.key === 'kind')
  if (!written) return addFinding(reading, v.at, `${at}.kind`, 'runtime must name "kind": process or compose.')
  const chosen = kind(written.value, `${at}.kind`, reading)
  if (chosen === undefined) return undefined
  if (chosen === 'compose') {
    const got = composeRuntime(v, at, reading)
    return got && { ...usual, ...got }
  }
  const got = processRuntime(v, at, reading)
  return got && { ...usual, workdir: '.', ...got }
}

const log = object({ name: text(limits.logName), path, output: boolean }, 'name', 'path')
/** A log that a manifest declares. */
export interface DeclaredLog {
  readonly name: string
  readonly path: string
  /** True if the runtime writes the output of the agent's process to the file of this log. */
  readonly output?: boolean
}
const secret = object(
  { name: text(100, wrongWithSecretName), purpose: text(limits.detail), optional: boolean },
  'name',
  'purpose',
)
type Secret = { readonly name: string; readonly purpose: string; readonly optional: boolean }
const word = text(100, (t) =>
  /^[A-Za-z0-9][A-Za-z0-9._:-]*$/.test(t) ? undefined : 'must be letters, digits and . _ : -',
)
const binding = object(
  { product: text(limits.agentName, wrongWithProductId), role: word, scopes: list(word, 50, (s) => s) },
  'product',
  'role',
  'scopes',
)
export type Binding = ObjectOf<
  { product: YamlReader<string>; role: YamlReader<string>; scopes: YamlReader<string[]> },
  'product' | 'role' | 'scopes'
>

const keys = {
  name: text(limits.agentName, wrongWithAgentName),
  version: text(limits.version, (t) => (isVersion(t) ? undefined : 'must be a semantic version such as 1.4.0')),
  description: text(limits.line),
  instructions: path,
  mcp: path,
  runtime,
  health: object({ start_seconds: number(1, 3600) }),
  status: path,
  logs: list(log, 100, (l) => l.name),
  controls: list(oneOf(controls), controls.length, (c) => c),
  settings,
  state: list(text(500, wrongWithStatePath), 50, withoutSlash),
  secrets: list(secret, 50, (s) => s.name),
  needs,
  bindings: list(binding, 20, (b) => b.product), // two bindings to one product would set the same variables (D46)
}

const bundled = object(keys, 'name', 'version', 'runtime')
const reported = object(keys, 'name', 'version')

/** A manifest with the defaults of its missing keys. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly description?: string
  readonly instructions?: string
  readonly mcp?: string
  /** How the agent is started. A manifest in a bundle always has this key. */
  readonly runtime?: Runtime
  readonly health: { readonly start_seconds: number }
  readonly status?: string
  readonly logs: readonly DeclaredLog[]
  readonly controls: readonly (typeof controls)[number][]
  readonly settings: readonly ManifestSetting[]
  /** The state paths, without a slash at the end. */
  readonly state: readonly string[]
  /** The state paths that are written with a slash at the end; absent if there are none. */
  readonly stateFolders?: readonly string[]
  readonly secrets: readonly Secret[]
  readonly bindings: readonly Binding[]
  /** The programs that the agent needs on its machine; absent if the manifest lists none. */
  readonly needs?: readonly Need[]
}
export type { ManifestSetting }

/** Reads the whole manifest. The manifest of a bundle must have the key `runtime`. */
export const manifestReader =
  (needsRuntime: boolean): YamlReader<Manifest> =>
  (v, at, reading) => {
    const got = (needsRuntime ? bundled : reported)(v, at, reading)
    if (!got) return undefined
    const written = got.state ?? []
    const state = written.map(withoutSlash)
    const folders = written.filter((p) => p.endsWith('/')).map(withoutSlash)
    const nested = state.find((p) => state.some((other) => p.startsWith(`${other}/`)))
    if (nested !== undefined)
      return addFinding(reading, v.at, 'state', `state names "${nested}", which is inside another path of it.`)
    const wrong = wrongWithOutput(got.logs ?? [], { state, status: got.status })
    if (wrong !== undefined) return addFinding(reading, v.at, 'logs', wrong)
    return {
      logs: [],
      controls: [],
      settings: [],
      bindings: [],
      ...got,
      state,
      ...(folders.length > 0 && { stateFolders: folders }),
      health: { start_seconds: got.health?.start_seconds ?? 60 },
      secrets: (got.secrets ?? []).map((s) => ({ ...s, optional: s.optional ?? false })),
    }
  }

/**
 * Checks the log to which the runtime writes the output of the process. There can be only one. Its file must be in a
 * state folder, since the folder of a version is deleted with the version.
 */
function wrongWithOutput(
  logs: readonly DeclaredLog[],
  { state, status }: { state: readonly string[]; status: string | undefined },
): string | undefined {
  const [output, second] = logs.filter((l) => l.output)
  if (output === undefined) return undefined
  const { name, path } = output
  if (second) return `Only one log can be the output: got ${quote(name)} and ${quote(second.name)}.`
  if (path === status) return `The output needs a file of its own: ${quote(path)} is the status file.`
  const isKept = state.some((s) => path.startsWith(`${s}/`))
  return isKept ? undefined : `The output must be in a folder that state names: got ${quote(path)}.`
}
