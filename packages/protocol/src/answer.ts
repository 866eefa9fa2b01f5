/**
 * The answer to a report (2.7): the types of answers, and the function with which a reporter reads an answer (D17,
 * D18).
 */
import { type Command, commandTypes } from './commands.ts'
import { isShallow } from './depth.ts'
import {
  boolean,
  exactText,
  type Field,
  type FieldValue,
  field,
  isObject,
  number,
  object,
  opaqueText,
} from './fields.ts'
import { readJson } from './json.ts'
import { limits } from './limits.ts'
import type { Verdict } from './refusals.ts'
import { runtimeVersion, semanticVersionShape, sha256Shape } from './versions.ts'

/**
 * The payload of a command, the only part of an answer whose fields are not known in advance. A deeply nested payload
 * is dropped, since writing it to the agent's journal could overflow the stack.
 */
const payload: Field<Record<string, unknown>> = field((v) => (isObject(v) && isShallow(v) ? v : undefined), {
  type: 'object',
  $comment: `Nested at most ${limits.depth} levels deep.`,
})
const commandId = opaqueText(limits.commandId)
const anyText: Field<string> = field((v) => (typeof v === 'string' ? v : undefined), {
  type: 'string',
  $comment: `Version 1 has ${commandTypes.join(', ')}. It may gain more: refuse an unknown type with an ack.`,
})
/**
 * Reads the type of a command exactly as the service sent it. A cleaned or cut type could be the name of another
 * command.
 */
const commandType = exactText(limits.name)
/**
 * A command as a reporter reads it. `type` is empty if the type in the answer is missing or cannot be kept exactly. The
 * agent refuses such a command like a command of an unknown type (D9).
 */
export type ReceivedCommand = { id: string; type: string; payload: Record<string, unknown> }

/**
 * Reads one command of an answer; undefined if it has no valid id (D17). A command with an id and other faults is kept,
 * so that the agent can refuse it with an ack.
 */
function readCommand(input: unknown): ReceivedCommand | undefined {
  const id = isObject(input) ? commandId(input.id) : undefined
  if (!isObject(input) || id === undefined) return undefined
  return { id, type: commandType(input.type) ?? '', payload: payload(input.payload) ?? {} }
}

/**
 * The parts of an answer that name a version. Versions and checksums are never cut, since a cut version would name
 * something else. An invalid version or checksum counts as absent (3.3, 3.5).
 */
const desired = object(
  {
    blueprint: exactText(limits.name),
    version: exactText(limits.version, semanticVersionShape),
    /** True if the agent should end the watch of its present version (3.3) and update at once. */
    now: boolean,
  },
  'blueprint',
  'version',
)
const served = object(
  { version: exactText(64, runtimeVersion), sha256: exactText(64, sha256Shape) },
  'version',
  'sha256',
)
const runtimeWish = exactText(64, runtimeVersion)
const askedInterval = number()
export type Desired = FieldValue<typeof desired>
export type ServedRuntime = FieldValue<typeof served>

/** The answer to a report, as the service sends it (2.7). */
export interface Answer {
  commands: Command[]
  interval: number
  desired?: Desired
  runtime?: ServedRuntime
  runtime_desired?: string
}

/** The answer to a report, as a reporter reads it (2.7). Malformed parts count as absent. */
export interface ReceivedAnswer {
  commands: ReceivedCommand[]
  interval?: number
  desired?: Desired
  runtime?: ServedRuntime
  runtime_desired?: string
}

/**
 * Reads an answer (D17), which must be a JSON object of at most 1 MB with an array `commands`. Malformed commands are
 * skipped, and the rest of the answer is kept.
 */
export function readAnswer(body: Uint8Array): Verdict<ReceivedAnswer, 'body_invalid'> {
  if (body.length > limits.answerBytes) return invalid(`The answer is larger than ${limits.answerBytes} bytes.`)
  const json = readJson(body)
  if (!json.ok) return json
  const { commands } = json.value
  if (!Array.isArray(commands)) return invalid('The answer holds no list of commands.')
  const interval = askedInterval(json.value.interval)
  const wanted = desired(json.value.desired)
  const runtime = served(json.value.runtime)
  const wantedRuntime = runtimeWish(json.value.runtime_desired)
  return {
    ok: true,
    value: {
      commands: commands.flatMap((command) => readCommand(command) ?? []),
      ...(interval !== undefined && { interval }),
      ...(wanted && { desired: wanted }),
      ...(runtime && { runtime }),
      ...(wantedRuntime !== undefined && { runtime_desired: wantedRuntime }),
    },
  }
}

const invalid = (message: string) => ({ ok: false, code: 'body_invalid', message }) as const

/**
 * Returns the reporting interval in seconds to use after an answer that asked for `asked` seconds (D18), limited to the
 * allowed range. If the answer has no valid interval, the last interval stays in use.
 */
export function clampInterval(asked: number | undefined, last: number): number {
  if (asked === undefined || !Number.isFinite(asked)) return last
  return Math.min(limits.maxIntervalSeconds, Math.max(limits.minIntervalSeconds, asked))
}

/**
 * Returns the seconds without a report after which an agent is offline. `interval` is the reporting interval in seconds
 * that the service asked the agent for (D20).
 */
export const offlineAfter = (interval: number): number => Math.max(3 * interval, limits.minOfflineSeconds)

/**
 * The schema of an answer, used only to generate JSON Schema. It accepts any type of command, since version 1 of the
 * contract may gain further types (9.2).
 */
export const answer = object(
  {
    commands: field((v) => (Array.isArray(v) ? v : undefined), {
      type: 'array',
      items: object({ id: commandId, type: anyText, payload }, 'id', 'type', 'payload').schema,
    }),
    interval: number(0),
    desired,
    runtime: served,
    runtime_desired: runtimeWish,
  },
  'commands',
  'interval',
)
