/** Checks the programs that an agent needs on this machine: they must be in PATH, in a version that is new enough. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import type { Need } from '@svc/blueprint'
import { canRun } from './can-run.ts'

/** The milliseconds in which a needed program must print its version and end. A program that takes longer is killed. */
const patienceMs = 5000
const maxOutput = 64 * 1024

/**
 * Says in a sentence what is wrong with a program that the agent needs; undefined if nothing is. The function only
 * compares and runs nothing.
 */
export function judgeNeed({ name, min }: Need, found: { file?: string | undefined; says?: string | undefined }) {
  if (found.file === undefined) return `${name} is missing: there is no such program in PATH.`
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

/** The needed programs that are not in PATH, as sentences. No program is run. */
export const missingNeeds = (needs: readonly Need[], path = process.env.PATH): string[] =>
  needs.flatMap((need) => judgeNeed(need, { file: fileOf(need.name, path) }) ?? [])

/**
 * The needed programs that are missing or too old, as sentences. A program with a minimum version is run, so that it
 * prints its version.
 */
export async function unmetNeeds(needs: readonly Need[], path = process.env.PATH): Promise<string[]> {
  const judged = needs.map(async (need) => {
    const file = fileOf(need.name, path)
    const says = file !== undefined && need.min !== undefined ? await said(file, need) : undefined
    return judgeNeed(need, { file, says })
  })
  return (await Promise.all(judged)).filter((sentence) => sentence !== undefined)
}

/** The needed programs in words, such as `restic, python3 3.9 or newer`. */
export const needsText = (needs: readonly Need[]): string =>
  needs.map(({ name, min }) => (min === undefined ? name : `${name} ${min} or newer`)).join(', ')

function fileOf(name: string, path = ''): string | undefined {
  if (name.includes('/')) return undefined
  const places = path.split(':').filter((folder) => folder.startsWith('/'))
  return places.map((folder) => join(folder, name)).find(canRun)
}

/**
 * The output of a program on both streams, whatever its exit code. A program that cannot be run has no output; of one
 * that takes too long, what it printed until then counts.
 */
const said = (file: string, { version_args: args = ['--version'] }: Need): Promise<string> =>
  new Promise((resolve) => {
    const child = execFile(
      file,
      [...args],
      { timeout: patienceMs, killSignal: 'SIGKILL', maxBuffer: maxOutput, cwd: '/', encoding: 'utf8' },
      (_error, out, err) => resolve(`${out}\n${err}`),
    )
    child.stdin?.end()
  })
