/**
 * Detects that two reporters use the same token. It compares only the marks of the last ten reports. A mark is a short
 * hash of the host and boot id of the sender (D8).
 */
import type { Report } from '@svc/protocol'

const maxRemembered = 10
const markLength = 8
const changesToNotice = 3

/**
 * Appends the mark of this report's sender to the marks of earlier reports, and keeps the last ten, oldest first. A
 * mark is eight hex digits: a hash of the host and the boot id that the report names. The first report counts as ten,
 * so that the column always has the same size (padding.ts).
 */
export function rememberReporter(earlier: string, report: Report): string {
  const mark = markOf(`${report.agent?.host ?? ''}\0${report.boot ?? ''}`)
  return earlier === '' ? mark.repeat(maxRemembered) : (earlier + mark).slice(-maxRemembered * markLength)
}

/**
 * True if the host or boot id changed at least three times within the last ten reports, and at least once back to an
 * earlier one. A restarted reporter gets a new boot id once and never returns to the old one.
 */
export function hasTwoReporters(marks: string): boolean {
  if (marks === marks.slice(0, markLength).repeat(marks.length / markLength)) return false
  const list: string[] = marks.match(/.{8}/g) ?? []
  const changes = list.filter((mark, i) => i > 0 && mark !== list[i - 1])
  const cameBack = list.some((mark, i) => i > 0 && mark !== list[i - 1] && list.indexOf(mark) < i)
  return cameBack && changes.length >= changesToNotice
}

/** Makes the mark of a reporter, an FNV-1a hash. A mark only has to distinguish a few reporters of one agent. */
function markOf(text: string): string {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return half(hash >>> 16) + half(hash & 0xffff)
}

/** Writes half of a hash in hex. Numbers of more than 31 bits would take many times longer. */
const half = (bits: number): string => bits.toString(16).padStart(markLength / 2, '0')
