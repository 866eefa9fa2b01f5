/**
 * JSON Schemas generated from the fields (docs/schemas). What fits a schema is kept unchanged; the readers accept more
 * than that, cutting and dropping as section 2 says. The answer's schema is open, since unknown fields of it are ignored
 * (9 rule 4).
 */
import { answer } from './answer.ts'
import { isObject, type JsonSchema } from './fields.ts'
import { logUploadSchema } from './log.ts'
import { report } from './report.ts'
import { statusFile } from './status-file.ts'

const draft = 'https://json-schema.org/draft/2020-12/schema'

export const schemas: Readonly<Record<'report' | 'answer' | 'status-file' | 'log-upload', JsonSchema>> = {
  report: { $schema: draft, title: 'Report (2.1)', ...closed(report.schema) },
  answer: { $schema: draft, title: 'Report answer (2.7)', ...answer.schema },
  'status-file': { $schema: draft, title: 'Agent status file (2.11)', ...closed(statusFile.schema) },
  'log-upload': { $schema: draft, title: 'Log upload (2.8)', ...closed(logUploadSchema) },
}

/** No additional properties at any level: the reader would let them fall away; in a status file they are wrong (2.11). */
function closed(schema: JsonSchema): JsonSchema {
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closedPart(value)]))
  return schema.properties && schema.additionalProperties === undefined
    ? { ...inner, additionalProperties: false }
    : inner
}

function closedPart(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closedPart)
  return isObject(value) ? closed(value) : value
}
