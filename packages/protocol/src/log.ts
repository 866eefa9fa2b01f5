/** The upload of a log: its fields, and the function that reads and checks it (2.8, D7). */
import { type FieldValue, field, name, object, opaqueText } from './fields.ts'
import { readJson } from './json.ts'
import { parseJson } from './json-large.ts'
import { limits } from './limits.ts'
import type { Verdict } from './refusals.ts'
import { clean, endOfText, tidyPattern } from './text.ts'

const logUpload = object(
  {
    command: opaqueText(limits.commandId),
    name: name(limits.logName),
    text: field((v) => (typeof v === 'string' ? endOfText(clean(v), limits.logTextBytes) : undefined), {
      type: 'string',
      pattern: tidyPattern,
      maxLength: limits.logTextBytes,
      $comment: `At most ${limits.logTextBytes} bytes in UTF-8; of a longer text the end is kept.`,
    }),
  },
  'command',
  'name',
  'text',
)
export type LogUpload = FieldValue<typeof logUpload>

/** Reads a log upload. If its text is too long, only the end is kept, beginning at a whole code point (D7). */
export function readLogUpload(body: Uint8Array): Verdict<LogUpload, 'body_invalid'> {
  const json = readJson(body, parseJson)
  if (!json.ok) return json
  const kept = logUpload(json.value)
  if (kept) return { ok: true, value: kept }
  return { ok: false, code: 'body_invalid', message: 'A log upload needs the texts "command", "name" and "text".' }
}

export const logUploadSchema = logUpload.schema
