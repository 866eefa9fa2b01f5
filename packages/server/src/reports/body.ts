/** What of a report is stored as its body: all but runs and acks, which have tables of their own. */
import type { Report } from '@svc/protocol'

/**
 * The body in JSON. Writing it anew costs more than anything else that a report needs of us; so where the report is the
 * text that came, the runs are cut out of that text. `runs` are they, in JSON.
 */
export const bodyOf = (report: Report, text: string | undefined, runs: readonly string[]): string =>
  (text !== undefined && report.acks === undefined ? withoutRuns(text, report, runs) : undefined) ?? written(report)

function written(report: Report): string {
  const { runs: _, acks: __, ...body } = report
  return JSON.stringify(body)
}

const key = '"runs":'

/**
 * The text without its runs, if they are written in it as we write them. In a report that was kept whole this key with a list
 * stands nowhere else: not deeper, since no other part knows it, and not inside a text, where its quotes would be escaped.
 */
function withoutRuns(text: string, report: Report, runs: readonly string[]): string | undefined {
  if (report.runs === undefined) return text
  const from = text.indexOf(`${key}[`)
  let to = from + key.length + 1
  for (const [i, run] of runs.entries()) {
    if (i > 0 && text[to++] !== ',') return undefined
    if (!text.startsWith(run, to)) return undefined
    to += run.length
  }
  if (from < 0 || text[to] !== ']' || text.includes(key, to)) return undefined
  if (text[to + 1] === ',') return text.slice(0, from) + text.slice(to + 2)
  return text[from - 1] === ',' ? text.slice(0, from - 1) + text.slice(to + 1) : undefined
}
