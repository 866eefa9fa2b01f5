/**
 * Finds probable mistakes (hints) and certain mistakes (warnings) in a blueprint. Neither makes the service refuse a
 * bundle.
 */
import type { BundleFinding } from '../bundle/findings.ts'
import { isLogPattern } from '../manifest/logs.ts'
import { type Manifest, manifestName } from '../manifest/shape.ts'

interface ListedFile {
  readonly path: string
  readonly executable: boolean
}

/** Finds probable mistakes in a blueprint with these files. */
export function hintsOn(manifest: Manifest, files: readonly ListedFile[]): BundleFinding[] {
  const mac = macNote(files)
  return [
    ...commandHints(manifest, files),
    ...files.flatMap(fileHints),
    ...(mac === undefined ? [] : [{ file: '', message: mac }]),
  ]
}

const macFiles = /(?:^|\/)(?:__MACOSX\/|\.DS_Store$|\._)/

/** The hint about files that macOS adds to archives, worded as the rest of a sentence that begins with the bundle. */
export function macNote(files: readonly { readonly path: string }[]): string | undefined {
  const [first, ...more] = files.filter(({ path }) => macFiles.test(path))
  if (!first) return undefined
  const all = more.length === 0 ? first.path : `${first.path} and ${more.length} more`
  return `contains files that macOS added and no agent needs (${all}); "svc pack" leaves them out`
}

/** Returns the line and the column of a value of the manifest, such as `settings[0].default`. */
export type PositionOf = (path: string) => { line: number; column: number }

/** Finds certain mistakes in a blueprint with these files. */
export function warningsOn(manifest: Manifest, files: readonly ListedFile[], placeOf: PositionOf): BundleFinding[] {
  return [
    ...outsideState(manifest, placeOf),
    ...literalCharacters(manifest, placeOf),
    ...files.flatMap(environmentHints),
  ]
}

/** Finds paths with `*`, `?` or `[`, which svc takes literally, except for a segment `*` in the path of a log. */
function literalCharacters({ state, status, logs }: Manifest, placeOf: PositionOf): BundleFinding[] {
  const logPaths = logs.map((log) => ({
    path: log.path,
    parts: log.path.split('/').filter((s) => s !== '*' || !isLogPattern(log)),
  }))
  const named = [
    ...state.map((path, i) => ({ at: `state[${i}]`, path, parts: [path] })),
    ...(status === undefined ? [] : [{ at: 'status', path: status, parts: [status] }]),
    ...logPaths.map((log, i) => ({ at: `logs[${i}].path`, ...log })),
  ]
  return named
    .filter(({ parts }) => parts.some((part) => /[*?[]/.test(part)))
    .map(({ at, path }) => ({
      file: manifestName,
      ...placeOf(at),
      message: `names "${path}", which is no pattern here: it is one file or folder of exactly this name`,
    }))
}

/**
 * Finds a status file or log below `state/` that the manifest's key `state` does not cover. The agent writes such a
 * file to its state folder (SVC_STATE_DIR), but the runtime would look for it in the folder of the version.
 */
function outsideState({ state, status, logs }: Manifest, placeOf: PositionOf): BundleFinding[] {
  const named: [path: string, file: string][] = [
    ...(status === undefined ? [] : [['status', status] as [string, string]]),
    ...logs.map(({ path }, i): [string, string] => [`logs[${i}].path`, path]),
  ]
  const isKept = (file: string) => state.some((s) => file === s || file.startsWith(`${s}/`))
  return named
    .filter(([, file]) => file.startsWith('state/') && !isKept(file))
    .map(([path, file]) => ({
      file: manifestName,
      ...placeOf(path),
      message: `names "${file}", but not "state" under state: what the agent writes to SVC_STATE_DIR is never read there. Add "state: [state]"`,
    }))
}

/**
 * Finds the files `agent.env` and `secrets.env` in a bundle. They do not belong there, since `svc init` brings tokens
 * and secrets to the machine (4, rule 3).
 */
const environmentHints = ({ path }: ListedFile): BundleFinding[] =>
  /(?:^|\/)(?:agent|secrets)\.env$/i.test(path)
    ? [{ file: path, message: 'must not be in a bundle: tokens and secrets come to the machine at "svc init"' }]
    : []

/** The names of files that usually hold secrets. A bundle must hold no secrets (4, rule 3). */
const secretPathPattern =
  /(?:^|\/)(?:id_(?:rsa|ed25519|ecdsa)|[^/]*\.(?:pem|key|p12|pfx|kdbx)|\.netrc|\.npmrc|\.pypirc)$/i
const fileHints = ({ path }: ListedFile): BundleFinding[] =>
  secretPathPattern.test(path)
    ? [
        {
          file: path,
          message:
            'looks like a secret; everybody who gets the bundle can read it. Secrets are asked for at "svc init"',
        },
      ]
    : []

function commandHints({ runtime, state }: Manifest, files: readonly ListedFile[]): BundleFinding[] {
  if (runtime?.kind !== 'process') return []
  const said = (message: string): BundleFinding[] => [{ file: manifestName, message }]
  const { command, workdir } = runtime
  const inState = (path: string) => state.some((s) => path === s || path.startsWith(`${s}/`))
  if (workdir !== '.' && !inState(workdir) && !files.some((f) => f.path.startsWith(`${workdir}/`)))
    return said(`starts the agent in "${workdir}", and there is no file in it`)
  return command.flatMap((argument, i) => {
    const path = inFolder(workdir, argument)
    if (path === undefined || inState(path)) return []
    const file = files.find((f) => f.path === path)
    const isProgram = i === 0 && argument.includes('/')
    if (!file && (isProgram || scriptPattern.test(argument)))
      return said(`starts "${argument}", which is not in the bundle`)
    return file && isProgram && !file.executable ? said(`starts "${argument}", which is not executable`) : []
  })
}
const scriptPattern = /^[^-].*\.(?:py|pyz|js|cjs|mjs|ts|cts|mts|sh|rb|pl|php|jar)$/

/**
 * Returns the path in the bundle of the file that `argument` of the agent's command may name. Undefined for an absolute
 * path, an option, or a path with `..`.
 */
function inFolder(workdir: string, argument: string): string | undefined {
  if (argument.startsWith('/') || argument.startsWith('-') || argument.split('/').includes('..')) return undefined
  const plain = argument
    .split('/')
    .filter((s) => s !== '.' && s !== '')
    .join('/')
  return workdir === '.' ? plain : `${workdir}/${plain}`
}
