/** Plans the rotations of the agent's output, also if space is short, and the log lines about them. */

/** The maximum number of older files that are kept. */
export const maxOlderFiles = 3
/** The bytes that a rotation leaves free for the runtime's notes and for other programs. */
const reservedBytes = 64 * 1024

interface RotationFacts {
  /** The size of the output file in bytes. */
  readonly size: number
  /** The sizes of the older files in bytes, the newest first; undefined for one that is missing. */
  readonly older: readonly (number | undefined)[]
  /** The free bytes of the file system; undefined if they are not known. */
  readonly free: number | undefined
}
interface RotationPlan {
  /** True if the oldest file is overwritten with the copy, which saves space. */
  readonly reuse: boolean
  /** The number of bytes that are copied from the end of the output. */
  readonly copy: number
}

/**
 * Plans a rotation that fits into the free space. The oldest file is reused for the copy only if the rotation would
 * replace it anyway.
 */
export function planRotation({ size, older, free }: RotationFacts): RotationPlan {
  const oldest = older[maxOlderFiles - 1]
  const reused = oldest !== undefined && older[maxOlderFiles - 2] !== undefined ? oldest : 0
  const room = free === undefined ? size : Math.max(reused, free + reused - reservedBytes)
  const copy = Math.max(0, Math.min(size, room))
  return { reuse: reused > 0 && copy > 0, copy }
}

/**
 * The number of the oldest file, which must be removed if the output has no room to grow to `max`, the size at which it
 * is rotated. Undefined if there is room, if the free space is unknown, or if there is no older file.
 */
export function planFreeing({ size, older, free }: RotationFacts, max: number): number | undefined {
  if (free === undefined || free >= max - size + reservedBytes) return undefined
  const oldest = older.findLastIndex((bytes) => bytes !== undefined && bytes > 0)
  return oldest < 0 ? undefined : oldest + 1
}

/** A rotation kept the last `copied` of `of` bytes of the output. `why` is present if anything was lost. */
export interface RotatedOutput {
  readonly copied: number
  readonly of: number
  readonly why?: string
}
/** An older file that was removed, so that newer output finds room. */
export interface RemovedFile {
  readonly removed: string
}
/** The result of a rotation, or why it failed. */
export type RotationOutcome = RotatedOutput | RemovedFile | { readonly failed: string }

/**
 * The line for the log, or undefined. A removed file is always logged. Other trouble is logged only when it begins and
 * when it is over.
 */
export function rotationLine(troubled: boolean, outcome: RotationOutcome): string | undefined {
  if ('removed' in outcome) return `removed ${outcome.removed}, since there was no room for newer output of the agent`
  if (!isTrouble(outcome))
    return troubled ? "the agent's output is kept whole again when its file is rotated" : undefined
  if (troubled) return undefined
  if ('failed' in outcome) return `the agent's output could not be rotated: ${outcome.failed}`
  const { copied, of, why } = outcome
  return `the agent's output was not kept whole when its file was rotated: the last ${copied} of ${of} bytes were kept, because ${why}`
}

/** True if a rotation failed or lost output. */
export const isTrouble = (outcome: Exclude<RotationOutcome, RemovedFile>): boolean =>
  'failed' in outcome || outcome.why !== undefined
