/**
 * Runs every case of `conformance/cases/` against packages/protocol. The cases are data, so that implementations in
 * other languages can run them too.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  type Ack,
  answeringAck,
  type CommandState,
  type CommandType,
  checkValues,
  clampInterval,
  isLink,
  logNames,
  moveCommand,
  type Report,
  readAnswer,
  readLogUpload,
  readReport,
  readStatusFile,
  type Setting,
  type Verdict,
} from '../packages/protocol/src/index.ts'

interface Case {
  says?: string
  [part: string]: unknown
}
interface Rule {
  rule: string
  schema?: Setting[]
  cases: Case[]
}

const bytes = (text: string) => new TextEncoder().encode(text)
const overTheWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? 'null')

interface Numbered {
  numbered?: [number, number]
  started?: number
}
/**
 * Expands the shorthand `{ "numbered": [0, 2099], "started": 5 }` in a list of runs. It stands for the runs r0 to
 * r2099, the first of which started at 5 and each other one a second after the one before it.
 */
const expanded = (part: unknown): unknown => {
  const { runs, ...rest } = (part ?? {}) as { runs?: unknown }
  if (!Array.isArray(runs)) return part
  return {
    ...rest,
    runs: (runs as (Numbered | null)[]).flatMap((run): unknown[] => {
      if (!run?.numbered) return [run]
      const [from, to] = run.numbered
      return Array.from({ length: to - from + 1 }, (_, i) => ({
        id: `r${from + i}`,
        ...(run.started !== undefined && { started: run.started + i }),
      }))
    }),
  }
}

const bodyOf = (c: Case): Uint8Array => {
  if (typeof c.base64 === 'string') return Uint8Array.from(Buffer.from(c.base64, 'base64'))
  return bytes(typeof c.text === 'string' ? c.text : JSON.stringify(expanded(c.input)))
}

/**
 * The current time under which a case is run, in milliseconds. A case that depends on the time gives it as `now`, in
 * Unix seconds.
 */
const timeOf = (c: Case): number => (typeof c.now === 'number' ? c.now : 1_790_000_000) * 1000

const reads = (read: (body: Uint8Array, now: number) => Verdict<unknown>) => (c: Case) => {
  const verdict = read(bodyOf(c), timeOf(c))
  if (c.refused !== undefined) expect(verdict).toMatchObject({ ok: false, code: c.refused })
  else if (c.keptText !== undefined) expect(verdict.ok && JSON.stringify(verdict.value)).toBe(c.keptText)
  else expect(verdict.ok && overTheWire(verdict.value)).toEqual(expanded(c.kept))
}

const repeated = (part: unknown): string => {
  const [character, times] = part as [string, number]
  return character.repeat(times)
}

const runners: Record<string, (c: Case, rule: Rule) => void> = {
  report: reads(readReport),
  'answer/reading': reads(readAnswer),
  'answer/interval': (c) => expect(clampInterval((c.asked ?? undefined) as number, c.last as number)).toBe(c.inForce),
  'commands/acks': (c) => {
    const command = c.command as { id: string; type: CommandType; state: CommandState }
    const ack = answeringAck(command, c.acks as Ack[])
    const state = ack && moveCommand(command.state, ack.ok ? 'ackedOk' : 'ackedNo')
    expect(state ? { state, message: ack.message ?? null } : { state: command.state }).toEqual(c.becomes)
  },
  'log/uploads': reads(readLogUpload),
  'log/end-of-text': (c) => {
    const upload = { command: 'c', name: 'work', text: repeated(c.text) }
    const read = readLogUpload(bytes(JSON.stringify(upload)))
    expect(read.ok && read.value.text === repeated(c.kept)).toBe(true)
  },
  'log/names': (c) => expect([...logNames(c.report as Report)].sort()).toEqual(c.names),
  links: (c) => expect(isLink(c.link as string)).toBe(c.kept),
  settings: (c, rule) => expect(checkValues(rule.schema ?? [], c.values).ok).toBe(c.ok),
  'status-file': (c) => {
    const read = readStatusFile(expanded(c.input), timeOf(c))
    if (c.status === null) expect(read).toBeUndefined()
    else expect(overTheWire(read)).toEqual({ status: expanded(c.status), unknown: c.unknown, dropped: c.dropped })
  },
}

const folder = new URL('cases/', import.meta.url)
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.json'))

test('every subject has cases', () => {
  for (const subject of Object.keys(runners))
    expect(
      files.some((file) => file.startsWith(subject)),
      subject,
    ).toBe(true)
})

for (const file of files) {
  const rule = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Rule
  const [subject = ''] = file.split('/')
  const run = runners[file.replace('.json', '')] ?? runners[subject]
  test.each(rule.cases.map((c) => [c.says ?? JSON.stringify(c).slice(0, 80), c] as const))(
    `${file} (${rule.rule}): %s`,
    (_says, c) => {
      if (!run) throw new Error(`No runner for ${file}`)
      run(c, rule)
    },
  )
}
