import { describe, expect, test } from 'vitest'
import { planFreeing, planRotation, type RotationOutcome, rotationLine } from './rotation.ts'

const mb = 1024 * 1024
const left = 64 * 1024

describe('a rotation', () => {
  test.each<[string, (number | undefined)[], number | undefined, boolean, number]>([
    ['copies everything if there is room', [], 9 * mb, false, 5 * mb],
    ['copies everything if the room is not known', [], undefined, false, 5 * mb],
    ['copies what fits, and leaves some room', [undefined, undefined, undefined], 3 * mb, false, 3 * mb - left],
    ['copies nothing without room', [], 0, false, 0],
    ['copies nothing into the last bytes', [], left, false, 0],
    ['reuses the oldest file, which another one replaces', [5 * mb, 5 * mb, 5 * mb], 0, true, 5 * mb],
    ['needs no free space to reuse it', [5 * mb, 5 * mb, 2 * mb], 0, true, 2 * mb],
    ['adds what is free to it', [5 * mb, 5 * mb, 2 * mb], mb + left, true, 3 * mb],
    ['keeps the oldest file if no other one takes its place', [5 * mb, undefined, 5 * mb], 0, false, 0],
    ['keeps two older files', [5 * mb, 5 * mb, undefined], 0, false, 0],
    ['keeps an older file that is empty where it is', [5 * mb, 5 * mb, 0], 0, false, 0],
  ])('%s', (_case, older, free, reuse, copy) => {
    expect(planRotation({ size: 5 * mb, older, free })).toEqual({ reuse, copy })
  })
})

describe('output that is not yet rotated', () => {
  test.each<[string, number, (number | undefined)[], number | undefined, number | undefined]>([
    ['has room to grow', 0, [5 * mb, 5 * mb, 5 * mb], 5 * mb + left, undefined],
    ['needs less room the larger it is', 4 * mb, [5 * mb], mb + left, undefined],
    ['takes the room of the oldest file', 0, [5 * mb, 5 * mb, 5 * mb], mb, 3],
    ['takes the room of one older file at a time', 0, [5 * mb, 5 * mb, undefined], mb, 2],
    ['takes the room of the only older file', 4 * mb, [5 * mb, undefined, undefined], 0, 1],
    ['passes over an empty file', 0, [5 * mb, 5 * mb, 0], 0, 2],
    ['finds no older file', 0, [undefined, undefined, undefined], 0, undefined],
    ['does not know the room', 0, [5 * mb, 5 * mb, 5 * mb], undefined, undefined],
  ])('%s', (_case, size, older, free, removed) => {
    expect(planFreeing({ size, older, free }, 5 * mb)).toBe(removed)
  })
})

test('trouble is logged when it begins and when it is over, and not in between', () => {
  const part: RotationOutcome = { copied: 3, of: 5, why: 'no space is left' }
  const outcomes: RotationOutcome[] = [
    { copied: 5, of: 5 },
    part,
    part,
    { failed: 'it is read-only' },
    { removed: 'agent.log.3' },
    part,
    { copied: 5, of: 5 },
    { copied: 5, of: 5 },
  ]
  let troubled = false
  const lines = outcomes.map((outcome) => {
    const line = rotationLine(troubled, outcome)
    if (!('removed' in outcome)) troubled = 'failed' in outcome || outcome.why !== undefined
    return line
  })
  expect(lines).toEqual([
    undefined,
    "the agent's output was not kept whole when its file was rotated: the last 3 of 5 bytes were kept, because no space is left",
    undefined,
    undefined,
    'removed agent.log.3, since there was no room for newer output of the agent',
    undefined,
    "the agent's output is kept whole again when its file is rotated",
    undefined,
  ])
  expect(rotationLine(false, { failed: 'it is read-only' })).toBe(
    "the agent's output could not be rotated: it is read-only",
  )
})
