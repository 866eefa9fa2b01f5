/**
 * JSON Schemas generated from the fields and stored in docs/schemas. Input that fits a schema is kept unchanged. The
 * readers also accept other input, and cut or drop parts of it (section 2). The schema of an answer allows unknown
 * fields, since a reporter ignores them (9 rule 4).
 */
import { answer } from './answer.ts'
import { isObject, type JsonSchema } from './fields.ts'
import { logUploadSchema } from './log.ts'
import { report } from './report.ts'
import { statusFile } from './status-file.ts'

const schemaDraft = 'https://json-schema.org/draft/2020-12/schema'

/** Returns the first properties of a schema. Its `$comment` says that the reader accepts more than the schema. */
const schemaHead = (what: string, accepted: string) => ({
  $schema: schemaDraft,
  title: `${what}: what is kept unchanged`,
  $comment: `What fits this schema is kept as it is. The reader accepts more: ${accepted}`,
})
const cutAndDropped =
  'unknown fields are ignored, null counts as missing, texts and lists beyond their limits are cut, and bad fields and items are dropped (section 2 of docs/protocol.md).'

export const schemas: Readonly<Record<'report' | 'answer' | 'status-file' | 'log-upload', JsonSchema>> = {
  report: { ...schemaHead('Report (2.1)', cutAndDropped), ...withoutFurtherKeys(report.schema) },
  answer: {
    $schema: schemaDraft,
    title: 'Report answer (2.7): what this service sends',
    $comment:
      'Open: version 1 may gain fields and types of commands (9.2). A reporter ignores unknown fields, and refuses an unknown type of command with an ack.',
    ...answer.schema,
  },
  'status-file': {
    ...schemaHead('Agent status file (2.11)', `${cutAndDropped} Unknown fields cost a health line.`),
    ...withoutFurtherKeys(statusFile.schema),
  },
  'log-upload': {
    ...schemaHead('Log upload (2.8)', 'unknown fields are ignored, and of a longer text the end is kept.'),
    ...withoutFurtherKeys(logUploadSchema),
  },
}

/**
 * Forbids unknown properties at every level of a schema. The reader would drop such properties; those of a status file
 * appear in a health item (2.11).
 */
function withoutFurtherKeys(schema: JsonSchema): JsonSchema {
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closedPart(value)]))
  return schema.properties && schema.additionalProperties === undefined
    ? { ...inner, additionalProperties: false }
    : inner
}

function closedPart(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closedPart)
  return isObject(value) ? withoutFurtherKeys(value) : value
}
