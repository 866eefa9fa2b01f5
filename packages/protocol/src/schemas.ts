/**
 * JSON Schemas generated from the fields (docs/schemas). What fits a schema is kept unchanged; the readers accept more
 * than that, cutting and dropping as section 2 says.
 */
import { answer } from './answer.ts'
import { isObject, type JsonSchema } from './fields.ts'
import { logUploadSchema } from './log.ts'
import { report } from './report.ts'
import { statusFile } from './status-file.ts'

const draft = 'https://json-schema.org/draft/2020-12/schema'

export const schemas: Readonly<Record<'report' | 'answer' | 'status-file' | 'log-upload', JsonSchema>> = {
  report: { $schema: draft, title: 'Report (2.1)', ...report.schema },
  answer: { $schema: draft, title: 'Report answer (2.7)', ...answer.schema },
  'status-file': { $schema: draft, title: 'Agent status file (2.11)', ...closed(statusFile.schema) },
  'log-upload': { $schema: draft, title: 'Log upload (2.8)', ...logUploadSchema },
}

/** 2.11: no additional properties at any level. */
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
