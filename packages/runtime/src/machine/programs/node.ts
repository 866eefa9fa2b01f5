/**
 * Finds the path of Node to write down for later: in a unit, a manifest or `svc-exec`. Homebrew, nvm, fnm, asdf, mise
 * and snap keep Node in a folder named after its version, which an update removes. Most of them have a permanent link
 * or program, too, but Node itself knows only that folder, since it resolves the links of its own path.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, realpathSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { minNode } from '../base/version.ts'
import { canRun } from './can-run.ts'

interface NodeHere {
  /** The path of the Node that runs this program. */
  readonly running: string
  /** The value of PATH. */
  readonly path: string
  /** The home folder, which a program such as `asdf` needs to find Node. */
  readonly home?: string | undefined
}

const readNodeHere = (): NodeHere => ({
  running: process.execPath,
  path: process.env.PATH ?? '',
  home: process.env.HOME,
})

/**
 * The path of the running Node that is most likely to stay valid when Node is updated. If the running Node was removed
 * meanwhile, the result is the path of the first Node in PATH that is new enough.
 */
export function lastingNode({ running, path, home }: NodeHere = readNodeHere()): string {
  const inPath = path
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, 'node'))
    .filter(canRun)
  const real = realOf(running)
  if (real === undefined) return inPath.find(isNewEnough) ?? running
  const leadsHere = (file: string) => realOf(file) === real
  const best = smallestVersionFirst([...inPath.filter(leadsHere), running])
  if (versionsIn(best) === 0) return best
  const link = smallestVersionFirst([best, ...linksTo(real)])
  if (versionsIn(link) < versionsIn(best)) return link
  const program = inPath.find((file) => versionsIn(file) < versionsIn(best) && startsThis(file, real, home))
  return program ?? best
}

/** The PATH with the folder of `node`, a path that lasts, instead of folders that an update of Node would remove. */
export function lastingPath(path: string, node: string, old = process.execPath): string {
  const real = realOf(node)
  const isSame = (folder: string) =>
    folder === dirname(old) || (real !== undefined && realOf(join(folder, 'node')) === real)
  const folders = path.split(delimiter).map((folder) => {
    const goes = isAbsolute(folder) && versionsIn(folder) > versionsIn(dirname(node)) && isSame(folder)
    return goes ? dirname(node) : folder
  })
  return [...new Set(folders)].join(delimiter)
}

/** True if an update is more likely to remove `path` than `than`, another path of the same program. */
export const isShorterLived = (path: string, than: string): boolean => versionsIn(path) > versionsIn(than)

/**
 * Counts the numbers of a path that name a version, a revision or a session of a shell: `20.20.0`, `v20.20.0`,
 * `node-v20.20.0-linux-x64`, `9123` (snap), `20.20.0_1` (Homebrew), `4711_1764201600` (fnm), and the hash of Nix.
 */
function versionsIn(path: string): number {
  const parts = path.split('/').filter((part) => /^v?\d+(?:$|[._-])|\d+\.\d+\.\d+|^[0-9a-z]{32}-/.test(part))
  return parts.flatMap((part) => part.match(/\d+/g) ?? []).length + (path.startsWith('/run/user/') ? 1 : 0)
}

const smallestVersionFirst = (paths: readonly string[]): string =>
  paths.reduce((best, path) => (versionsIn(path) < versionsIn(best) ? path : best))

/** Where package managers keep links to Node, relative to each folder that contains it; `''` is that folder itself. */
const nodeFolders = ['', 'bin', 'opt', 'aliases']

/** All paths that lead to a file through a link to one of its folders or to itself, such as `node/current/bin/node`. */
function linksTo(real: string): string[] {
  return above(real)
    .slice(0, -1) // the folder `/` has no links of package managers
    .flatMap((folder) => nodeFolders.map((place) => join(folder, place)))
    .flatMap((folder) => linksIn(folder))
    .flatMap((link) => {
      const target = realOf(link)
      if (target === undefined || !(real === target || real.startsWith(`${target}/`))) return []
      return [`${link}${real.slice(target.length)}`]
    })
    .filter(canRun)
}

/** The folders that contain a path, the innermost first. */
const above = (path: string): string[] => (dirname(path) === path ? [] : [dirname(path), ...above(dirname(path))])

function linksIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isSymbolicLink())
      .map(({ name }) => join(folder, name))
      .sort()
  } catch {
    return []
  }
}

/** True if a program such as a shim of asdf or Volta starts this Node, with as few variables as cron gives a job. */
function startsThis(file: string, real: string, home: string | undefined): boolean {
  const env = { PATH: '/usr/bin:/bin', ...(home !== undefined && { HOME: home }) }
  return realOf(printed(file, ['-p', 'process.execPath'], env) ?? '') === real
}

function isNewEnough(file: string): boolean {
  const [, major = '0'] = /^v(\d+)\./.exec(printed(file, ['--version']) ?? '') ?? []
  return Number(major) >= minNode
}

function printed(file: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): string | undefined {
  try {
    const out = execFileSync(file, args, { cwd: '/', env, timeout: 5000, stdio: ['ignore', 'pipe', 'ignore'] })
    return out.toString().trim()
  } catch {
    return undefined
  }
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
