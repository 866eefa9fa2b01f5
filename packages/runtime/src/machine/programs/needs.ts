/** Checks the programs that an agent needs on this machine: they must be in PATH, in a version that is new enough. */
import { type ExecFileException, execFile } from 'node:child_process'
import { join } from 'node:path'
import type { Manifest, Need } from '@svc/blueprint'
import { cut, type HealthItem, limits } from '@svc/protocol'
import { scaledMs, wait } from '../base/time.ts'
import { canRun, isFile } from './can-run.ts'

/** The milliseconds in which a needed program must print its version and end. A program that takes longer is killed. */
const patienceMs = 5000
const maxOutput = 64 * 1024

interface FoundProgram {
  readonly file?: string | undefined
  /** The first regular file of this name in PATH. It matters only if `file` is absent, and then it cannot be run. */
  readonly locked?: string | undefined
  /** The text that the program printed when it was asked for its version. */
  readonly says?: string | undefined
  /** Why the program did not run when it was asked, such as `exit code 127`. */
  readonly fails?: string | undefined
}

/**
 * Says in a sentence what is wrong with a program that the agent needs; undefined if nothing is. This function runs no
 * program.
 */
export function judgeNeed({ name, min }: Need, found: FoundProgram): string | undefined {
  if (found.file === undefined) {
    if (found.locked !== undefined) return `${name} cannot be run: ${found.locked} is not executable for this user.`
    return `${name} is missing: there is no such program in PATH.`
  }
  if (found.fails !== undefined) return `${name} does not start: ${found.file} failed (${found.fails}).`
  if (min === undefined || found.says === undefined) return undefined
  const version = /\d+(?:\.\d+)*/.exec(found.says)?.[0]
  if (version === undefined) return `${name} does not say its version, and ${min} or newer is needed.`
  return isBelow(version, min) ? `${name} is ${version}, and ${min} or newer is needed.` : undefined
}

/** True if a version is lower than `min`, compared number by number: 3.10 is above 3.9, and 3 equals 3.0. */
function isBelow(version: string, min: string): boolean {
  const [have, want] = [version, min].map((text) => text.split('.').map(Number)) as [number[], number[]]
  for (const [i, wanted] of want.entries()) {
    const part = have[i] ?? 0
    if (part !== wanted) return part < wanted
  }
  return false
}

/** Sentences about the needed programs that are not in PATH or not executable. No program is run. */
export const missingNeeds = (needs: readonly Need[], path = process.env.PATH): string[] =>
  needs.flatMap((need) => judgeNeed(need, { file: fileOf(need.name, path), locked: lockedOf(need.name, path) }) ?? [])

/**
 * Sentences about the needed programs that are missing, too old, or do not start. A program with a minimum version is
 * run, so that it prints its version.
 */
export async function unmetNeeds(needs: readonly Need[], path = process.env.PATH): Promise<string[]> {
  const judged = needs.map(async (need) => {
    const file = fileOf(need.name, path)
    const asked = file !== undefined && need.min !== undefined ? await said(file, need) : undefined
    return judgeNeed(need, { file, locked: lockedOf(need.name, path), ...asked })
  })
  return (await Promise.all(judged)).filter((sentence) => sentence !== undefined)
}

/** The needed programs in words, such as `restic, python3 3.9 or newer`. */
export const needsText = (needs: readonly Need[]): string =>
  needs.map(({ name, min }) => (min === undefined ? name : `${name} ${min} or newer`)).join(', ')

const fileOf = (name: string, path?: string): string | undefined => pathsOf(name, path).find(canRun)

const lockedOf = (name: string, path?: string): string | undefined => pathsOf(name, path).find(isFile)

function pathsOf(name: string, path = ''): string[] {
  if (name.includes('/')) return []
  const folders = path.split(':').filter((folder) => folder.startsWith('/'))
  return folders.map((folder) => join(folder, name))
}

/** The exit codes of shells and loaders for a program that they could not start. */
const notStartedCodes = [126, 127]

/**
 * Runs a program and returns its output on both streams, whatever its exit code. If `fails` is present, the program did
 * not run, and the output is not its version.
 */
const said = (
  file: string,
  { version_args: args = ['--version'] }: Need,
): Promise<{ says: string; fails?: string | undefined }> =>
  new Promise((resolve) => {
    const child = execFile(
      file,
      [...args],
      { timeout: patienceMs, killSignal: 'SIGKILL', maxBuffer: maxOutput, cwd: '/', encoding: 'utf8' },
      (error, out, err) => resolve({ says: `${out}\n${err}`, fails: error ? failureOf(error, err) : undefined }),
    )
    child.stdin?.end()
  })

/** Why a program did not run. Undefined if it ran, whatever its exit code says about its arguments. */
function failureOf({ code, killed, signal }: ExecFileException, printed: string): string | undefined {
  if (killed) return undefined // it took too long or printed too much; what it printed until then counts
  const first = cut(printed.trim().split('\n')[0] ?? '', 120)
  const why = first === '' ? '' : `: ${first}`
  if (typeof code === 'string') return code
  if (signal) return `${signal}${why}`
  return notStartedCodes.includes(Number(code)) ? `exit code ${code}${why}` : undefined
}

/** The seconds between two checks of the needed programs. They are also checked when the manifest's needs change. */
const everySeconds = 300

interface ProgramWatch {
  /** Returns a health item if the last check found a fault of a needed program; otherwise none. */
  health(manifest: Pick<Manifest, 'needs'>): HealthItem[]
}

export function watchPrograms(stop: AbortSignal, unmet = unmetNeeds): ProgramWatch {
  let asked = ''
  let needs: readonly Need[] = []
  let wrong: readonly string[] = []
  let watching = false
  const check = async (): Promise<void> => {
    watching = true
    do {
      const about = asked
      const found = await unmet(needs)
      if (about === asked) wrong = found
    } while ((await wait(scaledMs(everySeconds), stop)) && needs.length > 0)
    watching = false
  }
  return {
    health: (manifest) => {
      const needsText = JSON.stringify(manifest.needs ?? [])
      if (needsText !== asked) {
        asked = needsText
        needs = manifest.needs ?? []
        wrong = []
        if (watching) void unmet(needs).then((found) => (wrong = needsText === asked ? found : wrong))
        else if (needs.length > 0) void check()
      }
      return wrong.length === 0 ? [] : [{ name: 'Programs', level: 'bad', detail: cut(wrong.join(' '), limits.detail) }]
    },
  }
}
