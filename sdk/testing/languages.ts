/** Runs the files for programs in their languages, each in a process of its own, and checks what they write. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import { readStatusFile, type StatusFile } from '../../packages/protocol/src/index.ts'
import { afterThisTest } from '../../testing/cleaning.ts'

export interface Language {
  readonly name: string
  readonly command: string
  readonly driver: string
}
const here = import.meta.dirname
export const pythonAt = (command: string): Language => ({ name: command, command, driver: join(here, 'drive.py') })
export const nodeAt = (command: string): Language => ({ name: command, command, driver: join(here, 'drive.mjs') })
export const python: Language = { ...pythonAt('python3'), name: 'Python' }
export const node: Language = { ...nodeAt(process.execPath), name: 'Node' }

/** A call with its arguments, as JSON. An object with `$`, `$text` or `$error` stands for a value that JSON lacks. */
export type Call = readonly [name: string, ...args: unknown[]]

export interface Program {
  /** Makes a call, and returns its result. */
  readonly call: (...call: Call) => Promise<unknown>
  /** Makes calls one after the other, and returns the results. */
  readonly all: (calls: readonly Call[]) => Promise<unknown[]>
  /** The lines on standard error. */
  readonly said: () => string[]
  readonly kill: () => Promise<void>
  readonly process: ChildProcess
}

/** A folder of this test, which is removed after it. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-sdk-'))
  afterThisTest(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Starts a program that makes the calls of a test. */
export function start({ command, driver }: Language, env: Record<string, string> = {}): Program {
  const child = spawn(command, [driver], {
    stdio: ['pipe', 'pipe', 'pipe'],
    // PYTHONDONTWRITEBYTECODE keeps Python from writing a compiled file beside the file that people copy.
    env: { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: '1', ...env },
  })
  afterThisTest(() => child.kill('SIGKILL'))
  let errors = ''
  child.stderr.on('data', (data: Buffer) => {
    errors += data
  })
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const answer = async (name: string): Promise<unknown> => {
    const { value, done } = await answers.next()
    if (done) throw new Error(`${command} ended at the call ${name}: ${errors}`)
    return JSON.parse(value)
  }
  const all = async (calls: readonly Call[]): Promise<unknown[]> => {
    child.stdin.write(calls.map((call) => `${JSON.stringify(call)}\n`).join(''))
    const results: unknown[] = []
    for (const [name] of calls) results.push(await answer(name))
    return results
  }
  return {
    process: child,
    all,
    call: async (...call) => (await all([call]))[0],
    said: () => errors.split('\n').filter((line) => line !== ''),
    kill: async () => {
      child.kill('SIGKILL')
      await once(child, 'close')
    },
  }
}

const fits = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false }).compile(
  JSON.parse(readFileSync(join(here, '../../docs/schemas/status-file.json'), 'utf8')),
)

/** Reads the status file in a folder. It must be valid: the runtime ignores, drops and cuts nothing of it. */
export function statusIn(folder: string): StatusFile {
  const file = join(folder, 'status.json')
  const bytes = readFileSync(file)
  expect(bytes.length).toBeLessThanOrEqual(240 * 1024 + 200)
  expect((statSync(file).mode & 0o777).toString(8)).toBe('600')
  const written = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  expect(readStatusFile(written, Date.now())).toEqual({ status: written, unknown: [], dropped: [] })
  expect(fits(written) ? [] : fits.errors).toEqual([])
  for (const { started = 0, ended = started } of written.runs ?? []) expect(ended).toBeGreaterThanOrEqual(started)
  return written
}

/** A status without what differs from run to run: the ids become numbers, and the times must be those of the test. */
export function comparable(status: StatusFile): StatusFile {
  const time = (at: number | undefined) => {
    if (at === undefined) return undefined
    expect(Math.abs(at - Date.now() / 1000)).toBeLessThan(120)
    return 0
  }
  const timed = <T extends { started?: number; ended?: number }>({ started, ended, ...run }: T) => ({
    ...run,
    ...(started !== undefined && { started: time(started) }),
    ...(ended !== undefined && { ended: time(ended) }),
  })
  return JSON.parse(
    JSON.stringify({
      ...status,
      active: status.active?.map(timed),
      runs: status.runs?.map((run, i) => ({ ...timed(run), id: `${i}` })),
    }),
  )
}
