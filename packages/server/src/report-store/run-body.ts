/** How a run is stored as JSON, and how its models are found there without the rest being read. */
import { parseAsMaps, type ReadRun, type Report, type Run } from '@svc/protocol'

/** The runs of a report in JSON, as they are kept. */
export const bodiesOf = ({ runs = [] }: Report): string[] => runs.map(jsonOf)

/** JSON.stringify, which cannot write a Map. */
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

/** Text that JSON writes as it is. */
const plainText = /^[\w .:/@-]*$/

const modelsKey = '"models":{'

/**
 * The models of a run in JSON, without the rest of it being read. Nothing else in there looks so: a quote inside of a text stands behind a backslash, and
 * no other key of a run has an object for its value.
 */
export function modelsIn(body: string): Run['models'] {
  const at = body.indexOf(modelsKey)
  if (at < 0) return undefined
  const from = at + modelsKey.length - 1
  try {
    return JSON.parse(body.slice(from, body.indexOf('}', from) + 1))
  } catch {
    return (JSON.parse(body) as Run).models // a brace in a name
  }
}

/** The same, where thousands of names may be new to this process. */
export function manyModelsIn(body: string): ReadonlyMap<string, number> | undefined {
  const run = parseAsMaps(body) as ReadonlyMap<string, unknown>
  return run.get('models') as ReadonlyMap<string, number> | undefined
}
