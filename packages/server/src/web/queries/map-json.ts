/** Writes the answer for the map, in slices: it may have 10,000 agents. */
import type { FleetMap } from '@svc/api'
import { mapStates } from '@svc/api/filter'
import { forEachInSlices, type SlicedWork } from '../../platform/http/slices.ts'

interface WrittenMap {
  json: string
  /** The number of groups and agents that are left off. */
  leftOff: number
}

/**
 * The JSON of the map in at most `maxBytes` bytes. If it would be larger, agents are left off: those in the last of
 * `mapStates` first, and of a state the last ones by name. The names of groups get at most half of the room.
 */
export function* mapJson({ total, groups, squares }: FleetMap, maxBytes: number): SlicedWork<WrittenMap> {
  const named = new List(Math.floor(maxBytes / 2))
  yield* forEachInSlices(groups, (value) => named.add(value))
  const written: string[] = []
  const sizes = mapStates.map(() => 0)
  yield* forEachInSlices(squares, (square) => {
    const json = JSON.stringify(square)
    written.push(json)
    sizes[square[1]] = (sizes[square[1]] ?? 0) + bytesOf(json)
  })
  let left = maxBytes - Math.min(named.bytes, named.maxBytes) - otherBytes
  const lists = sizes.map((size) => {
    const list = new List(Math.min(size, Math.max(0, left)))
    left -= list.maxBytes
    return list
  })
  const isKept: boolean[] = []
  yield* forEachInSlices(squares.entries(), ([i, [, state]]) =>
    isKept.push(lists[state]?.takes(written[i] ?? '') === true),
  )
  const kept = written.filter((_, i) => isKept[i])
  const off = { groups: groups.length - named.rows.length, squares: squares.length - kept.length }
  const cut = Object.entries(off).filter(([, number]) => number > 0)
  const fields = [
    `"total":${total}`,
    ...(cut.length > 0 ? [`"leftOff":${JSON.stringify(Object.fromEntries(cut))}`] : []),
    `"groups":[${named.rows.join(',')}]`,
    `"squares":[${kept.join(',')}]`,
  ]
  return { json: `{${fields.join(',')}}`, leftOff: off.groups + off.squares }
}

/** The room for everything but the two lists. */
const otherBytes = 256

/** The rows that fit into a number of bytes. After the first row that does not fit, no further row is added. */
class List {
  readonly rows: string[] = []
  readonly maxBytes: number
  bytes = 0
  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }
  add(value: unknown): void {
    const json = JSON.stringify(value)
    if (this.takes(json)) this.rows.push(json)
  }
  takes(json: string): boolean {
    this.bytes += bytesOf(json)
    return this.bytes <= this.maxBytes
  }
}

/** The bytes of a row with the comma after it. */
const bytesOf = (json: string): number => Buffer.byteLength(json) + 1
