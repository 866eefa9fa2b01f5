/** D8: notices two reporters that use one token, from the last ten reports alone. */
import type { Report } from '@svc/protocol'

const remembered = 10
const width = 8
const changesToNotice = 3

/** Appends this report's mark and keeps the last ten: eight hex digits each, oldest first. */
export function rememberReporter(earlier: string, report: Report): string {
  const mark = markOf(`${report.agent?.host ?? ''}\0${report.boot ?? ''}`)
  return (earlier + mark).slice(-remembered * width)
}

/**
 * True when host or boot id changed back and forth three times within the last ten reports. A restarted reporter gets a
 * new boot id once and never returns to the old one.
 */
export function twoReporters(marks: string): boolean {
  const list: string[] = marks.match(/.{8}/g) ?? []
  const changes = list.filter((mark, i) => i > 0 && mark !== list[i - 1])
  const cameBack = list.some((mark, i) => i > 0 && mark !== list[i - 1] && list.indexOf(mark) < i)
  return cameBack && changes.length >= changesToNotice
}

/** FNV-1a: it only has to distinguish a few reporters of one agent. */
function markOf(text: string): string {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return half(hash >>> 16) + half(hash & 0xffff)
}

/** Written in halves, since numbers beyond 31 bits take many times longer. */
const half = (bits: number): string => bits.toString(16).padStart(width / 2, '0')
