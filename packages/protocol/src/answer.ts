/** The answer to a report (2.7): its type, and the reader that a reporter uses (D17, D18). */

import { type Command, commandTypes } from './commands.ts'
import { type Field, field, isObject, type Kept, name, number, object, oneOf } from './fields.ts'
import { readJson } from './json.ts'
import { limits } from './limits.ts'
import type { Verdict } from './verdict.ts'
import { isVersion, runtimeVersion } from './versions.ts'

/**
 * An unknown type is kept: the agent's side answers it with a refusal (D9). The payload is an object, empty when absent.
 */
const payload: Field<Record<string, unknown>> = field((v) => (isObject(v) ? v : undefined), { type: 'object' })
const anyCommand = object({ id: name(limits.name), type: name(limits.name), payload }, 'id', 'type')
export type ReceivedCommand = { id: string; type: string; payload: Record<string, unknown> }

const desired = object({ blueprint: name(limits.name), version: name(limits.version) }, 'blueprint', 'version')
const served = object({ version: name(limits.version), sha256: name(64) }, 'version', 'sha256')
export type Desired = Kept<typeof desired>
export type ServedRuntime = Kept<typeof served>

/** 2.7, as the service sends it. */
export interface Answer {
  commands: Command[]
  interval: number
  desired?: Desired
  runtime?: ServedRuntime
  runtime_desired?: string
}

/** 2.7, as a reporter reads it: what is malformed is as if it were absent. */
export interface ReceivedAnswer {
  commands: ReceivedCommand[]
  interval?: number
  desired?: Desired
  runtime?: ServedRuntime
  runtime_desired?: string
}

/** D17: a successful answer is a JSON object with an array `commands`; malformed items of it are skipped singly. */
export function readAnswer(body: Uint8Array): Verdict<ReceivedAnswer, 'body_invalid'> {
  const json = readJson(body)
  if (!json.ok) return json
  const { commands, interval, ...rest } = json.value
  if (!Array.isArray(commands)) {
    return { ok: false, code: 'body_invalid', message: 'The answer holds no list of commands.' }
  }
  const wanted = desired(rest.desired)
  const wantedRuntime = typeof rest.runtime_desired === 'string' ? rest.runtime_desired : ''
  const runtime = served(rest.runtime)
  const asked = number()(interval)
  return {
    ok: true,
    value: {
      commands: commands.flatMap((c) => {
        const read = anyCommand(c)
        return read ? [{ ...read, payload: read.payload ?? {} }] : []
      }),
      ...(asked !== undefined && { interval: asked }),
      ...(wanted && isVersion(wanted.version) && { desired: wanted }),
      ...(runtime && { runtime }),
      ...(runtimeVersion.test(wantedRuntime) && { runtime_desired: wantedRuntime }),
    },
  }
}

/** D18: the interval in force, in seconds, after an answer asked for `asked`. */
export function clampInterval(asked: number | undefined, last: number): number {
  if (asked === undefined || !Number.isFinite(asked)) return last
  return Math.min(limits.intervalMostSeconds, Math.max(limits.intervalLeastSeconds, asked))
}

/** D20: for how many seconds without a report an agent counts as silent, given the interval it was asked for. */
export const offlineAfter = (interval: number): number => Math.max(3 * interval, limits.offlineLeastSeconds)

/** Only for the JSON Schema of an answer. */
export const answer = object(
  {
    commands: field((v) => (Array.isArray(v) ? v : undefined), {
      type: 'array',
      maxItems: limits.commandsPerAnswer,
      items: object({ id: name(limits.name), type: oneOf(commandTypes), payload }, 'id', 'type', 'payload').schema,
    }),
    interval: number(0),
    desired,
    runtime: served,
    runtime_desired: field((v) => v, { type: 'string', pattern: runtimeVersion.source }),
  },
  'commands',
  'interval',
)
