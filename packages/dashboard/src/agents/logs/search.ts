/** Splits a log into rows and finds text in it, fast enough for half a megabyte. */
import { foldedText } from '@svc/api/filter'

/** A row as it is drawn: a line, or a piece of a line that is too long for one row. */
export interface ShownLogRow {
  /** The number of the line in the log, counted from 0. */
  readonly line: number
  /** The position in the line at which the row's text starts, in UTF-16 units. */
  readonly start: number
  readonly text: string
}

/** The maximum length of a row's text, in UTF-16 units. A longer line is split into several rows. */
const maxRowLength = 2000

/** Splits a log into the rows that are drawn. */
export function logRowsOf(text: string): ShownLogRow[] {
  const lines = text.split(/\r\n|\n|\r/)
  if (lines.length > 1 && lines.at(-1) === '') lines.pop()
  const rows: ShownLogRow[] = []
  for (const [line, whole] of lines.entries()) {
    let start = 0
    do {
      const end = pieceEnd(whole, start)
      rows.push({ line, start, text: whole.slice(start, end) })
      start = end
    } while (start < whole.length)
  }
  return rows
}

/** Returns the end of the piece of a line that begins at `start`. A piece never ends within a code point. */
function pieceEnd(line: string, start: number): number {
  const end = Math.min(line.length, start + maxRowLength)
  const last = line.charCodeAt(end - 1)
  return end < line.length && last >= 0xd800 && last <= 0xdbff ? end - 1 : end
}

/**
 * A match of the searched text: the index of the row in which it starts, and its start and end in that row. It may
 * continue in the next row of the same line.
 */
interface Match {
  readonly row: number
  readonly from: number
  readonly to: number
}
/** The maximum number of matches that are found in a log. */
export const maxMatches = 10_000

/**
 * Finds the first `maxMatches` matches of the searched text, in order. Texts are compared by their `foldedText`. A
 * match that continues in the next row counts once, in the row where it starts.
 */
export function findMatches(rows: readonly ShownLogRow[], wanted: string): Match[] {
  const sought = foldedText(wanted)
  if (sought === '') return []
  const matches: Match[] = []
  for (const [row, { text }] of rows.entries()) {
    const whole = text + continuationOf(rows, row, wanted.length)
    const folded = foldedText(whole)
    let at = folded.indexOf(sought)
    const places = at >= 0 && folded.length !== whole.length ? positionsIn(whole) : undefined
    for (; at >= 0; at = folded.indexOf(sought, at + sought.length)) {
      const end = at + sought.length
      const from = places ? (places.starts[at] ?? 0) : at
      if (from >= text.length) break
      matches.push({ row, from, to: Math.min(text.length, places ? (places.ends[end - 1] ?? 0) : end) })
      if (matches.length === maxMatches) return matches
    }
  }
  return matches
}

/** A character with the marks that are written on it. */
const characters = /\P{M}\p{M}*|\p{M}+/gu

/** For each unit of the folded text, returns the positions in `text` where its character starts and ends. */
function positionsIn(text: string): { starts: number[]; ends: number[] } {
  const [starts, ends]: [number[], number[]] = [[], []]
  for (const { 0: character, index } of text.matchAll(characters))
    for (let unit = foldedText(character).length; unit > 0; unit--) {
      starts.push(index)
      ends.push(index + character.length)
    }
  return { starts, ends }
}

const continuationOf = (rows: readonly ShownLogRow[], row: number, length: number) => {
  const next = rows[row + 1]
  return next !== undefined && next.line === rows[row]?.line ? next.text.slice(0, length) : ''
}

/**
 * Splits the text of a row into matches and the text between them. `at` is the index of a match among all matches of
 * the log, and null for the text between.
 */
export function logPiecesOf(text: string, own: readonly { from: number; to: number; at: number }[]) {
  const pieces: { text: string; at: number | null }[] = []
  let done = 0
  for (const { from, to, at } of own) {
    if (from > done) pieces.push({ text: text.slice(done, from), at: null })
    pieces.push({ text: text.slice(from, to), at })
    done = to
  }
  if (done < text.length || pieces.length === 0) pieces.push({ text: text.slice(done), at: null })
  return pieces
}

/** Groups matches by the index of their row. `at` is the index of a match among all matches of the log. */
export function matchesByRow(matches: readonly Match[]): Map<number, { from: number; to: number; at: number }[]> {
  const rows = new Map<number, { from: number; to: number; at: number }[]>()
  for (const [at, { row, from, to }] of matches.entries()) {
    const own = rows.get(row)
    if (own) own.push({ from, to, at })
    else rows.set(row, [{ from, to, at }])
  }
  return rows
}

/**
 * Returns the index of the next or previous match, wrapping around at the ends. If no match is selected, returns the
 * first match at or after `row`, or else the first of all; null if there are no matches.
 */
export function stepToMatch(matches: readonly Match[], at: number | null, by: 1 | -1, row = 0): number | null {
  if (matches.length === 0) return null
  if (at !== null) return (at + by + matches.length) % matches.length
  return Math.max(
    0,
    matches.findIndex((match) => match.row >= row),
  )
}

/** A time at the start of a line, such as `2026-11-28T06:59:17.192Z`: its date, its time of day, and the rest of it. */
const timeAtStart = new RegExp(
  [/^(\[?\d{4}-\d\d-\d\d[T ])/, /(\d\d:\d\d:\d\d)/, /((?:[.,]\d{1,9})?(?: ?(?:Z|[+-]\d\d:?\d\d))?\]?)(?=\s)/]
    .map(({ source }) => source)
    .join(''),
)

/**
 * Splits a line that starts with a date and a time: the date, the time of day, the rest of the time, and the rest of
 * the line. Undefined for other lines.
 */
export function splitLogTime(text: string) {
  const [whole, before, time, after] = timeAtStart.exec(text) ?? []
  if (whole === undefined || before === undefined || time === undefined || after === undefined) return undefined
  return { whole, before, time, after, rest: text.slice(whole.length) }
}
