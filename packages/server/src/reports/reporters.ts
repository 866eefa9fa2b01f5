/** D8: noticing that two reporters use one token, from the last ten reports alone. */
import type { Report } from '@svc/protocol'

const remembered = 10
const width = 8
const changesToNotice = 3

/** The marks of the last ten reports, with this one's added: eight hex digits each, oldest first. */
export function rememberReporter(earlier: string, report: Report): string {
  const mark = markOf(`${report.agent?.host ?? ''}\0${report.boot ?? ''}`)
  return (earlier + mark).slice(-remembered * width)
}

/**
 * Whether host or boot id went back and forth three times within the last ten reports. A reporter that was started anew
 * has another boot id once and never the old one again.
 */
export function twoReporters(marks: string): boolean {
  const list: string[] = marks.match(/.{8}/g) ?? []
  const changes = list.filter((mark, i) => i > 0 && mark !== list[i - 1])
  const cameBack = list.some((mark, i) => i > 0 && mark !== list[i - 1] && list.indexOf(mark) < i)
  return cameBack && changes.length >= changesToNotice
}

/** FNV-1a: only has to tell a few reporters of one agent apart. */
function markOf(text: string): string {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return half(hash >>> 16) + half(hash & 0xffff)
}

/** In halves: numbers beyond 31 bits are written many times slower. */
const half = (bits: number): string => bits.toString(16).padStart(width / 2, '0')
