/** Writes runs as the JSON texts to store, and finds the models of a run in its text without parsing the rest. */
import { parseAsMaps, type ReadRun, type Report, type Run } from '@svc/protocol'

/** The runs of a report as the JSON texts to store. */
export const bodiesOf = ({ runs = [] }: Report): string[] => runs.map(jsonOf)

/** Writes a run as JSON. Its `models` may be a Map, which JSON.stringify cannot write. */
function jsonOf(run: ReadRun): string {
  if (!(run.models instanceof Map)) return JSON.stringify(run)
  const parts: string[] = []
  for (const [key, value] of Object.entries(run)) {
    const json = value instanceof Map ? mapJson(value) : JSON.stringify(value)
    parts.push(`"${key}":${json}`)
  }
  return `{${parts.join(',')}}`
}

function mapJson(entries: ReadonlyMap<string, number>): string {
  const parts: string[] = []
  for (const [key, value] of entries) parts.push(`${plainText.test(key) ? `"${key}"` : JSON.stringify(key)}:${value}`)
  return `{${parts.join(',')}}`
}

/** Matches text that JSON writes without escapes. */
const plainText = /^[\w .:/@-]*$/

const modelsKey = '"models":{'

/**
 * The models in a run's JSON, without parsing the rest. `modelsKey` cannot occur elsewhere in the JSON: a quote inside
 * a text has a backslash before it, and no other key of a run has an object as its value.
 */
export function modelsIn(body: string): Run['models'] {
  const at = body.indexOf(modelsKey)
  if (at < 0) return undefined
  const from = at + modelsKey.length - 1
  try {
    return JSON.parse(body.slice(from, body.indexOf('}', from) + 1))
  } catch {
    // The name of a model contains a brace, so the part that was cut out is not valid JSON.
    return (JSON.parse(body) as Run).models
  }
}

/** Reads the models of a run into a Map. An object with thousands of new names would be slow. */
export function manyModelsIn(body: string): ReadonlyMap<string, number> | undefined {
  const run = parseAsMaps(body) as ReadonlyMap<string, unknown>
  return run.get('models') as ReadonlyMap<string, number> | undefined
}
