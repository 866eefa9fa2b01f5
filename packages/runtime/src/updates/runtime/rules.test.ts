import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zipArchive } from '@svc/blueprint/zip'
import { describe, expect, test } from 'vitest'
import { endOutcomes, move, moves, type SelfUpdateEvent } from './moves.ts'
import { readInsideRelease } from './release.ts'
import { judgeVerify, sshKeygen } from './verify.ts'
import { judgeWanted, liftsHold, type WishedFacts } from './wanted.ts'

const hold = { version: '2.0.0', reason: 'it hung', running: 'a' }

describe('3.5, 1: a runtime is wanted', () => {
  test.each<[string, string, Partial<WishedFacts>, string]>([
    ['if it is another one', '2.0.0', {}, 'wanted'],
    ['even if it is older', '0.9.0', {}, 'wanted'],
    ['but not if it is the running one', '1.0.0', {}, 'running'],
    ['but not if it is on hold (I26)', '2.0.0', { hold, sha256: 'a' }, 'held'],
    ['if the file was replaced since the hold', '2.0.0', { hold, sha256: 'b' }, 'wanted'],
    ['if another one is on hold', '2.0.1', { hold, sha256: 'a' }, 'wanted'],
    ['but not if another one is pinned', '2.0.0', { pinned: '1.5.0' }, 'pinned'],
    ['if it is the pinned one', '1.5.0', { pinned: '1.5.0' }, 'wanted'],
    ['but not if it is on hold, even if it is pinned', '2.0.0', { pinned: '2.0.0', hold, sha256: 'a' }, 'held'],
    ['but not if it is a path', '../x', {}, 'malformed'],
    ['but not if it is empty', '', {}, 'malformed'],
    ['but not if it is too long', 'x'.repeat(65), {}, 'malformed'],
  ])('%s', (_rule, wish, facts, verdict) => {
    expect(judgeWanted(wish, { running: '1.0.0', ...facts })).toBe(verdict)
  })

  test('a hold ends with another wish or another file, and with nothing else', () => {
    expect(liftsHold('2.0.0', { hold, sha256: 'a' })).toBe(false)
    expect(liftsHold('../x', { hold, sha256: 'a' })).toBe(false)
    expect(liftsHold('1.0.0', { hold, sha256: 'a' }), 'the running one too').toBe(true)
    expect(liftsHold('2.0.0', { hold, sha256: 'b' })).toBe(true)
    expect(liftsHold('2.0.0', { hold: { ...hold, running: '' }, sha256: 'b' }), 'put on hold where no file was').toBe(
      false,
    )
  })
})

test('an attempt goes through all its states, and a kill in any of them before the swap leaves nothing (docs/decisions/kills.md)', () => {
  const way = ['fetching', 'checking', 'verifying', 'proving', 'swapping'] as const
  way.forEach((state, i) => {
    expect(move(state, 'done')).toBe(way[i + 1] ?? 'idle')
    expect(move(state, 'killed')).toBe('idle')
    expect(move(state, 'dropped')).toBe('idle')
  })
  expect(Object.keys(moves)).toEqual(way)
  const events: SelfUpdateEvent[] = ['unreachable', 'unable', 'refused', 'differs', 'falls']
  expect(events.filter((e) => e in endOutcomes && endOutcomes[e as keyof typeof endOutcomes].holds)).toEqual([
    'refused',
    'differs',
    'falls',
  ])
})

describe('the meaning of how ssh-keygen ended', () => {
  const good = 'Good "svc-runtime" signature for svc-release with ED25519 key SHA256:x\n'
  const no = 'Could not verify signature.\n'
  test.each<[string, Parameters<typeof judgeVerify>[0], string, string]>([
    ['good', { code: 0, killed: null, out: good, err: '' }, 'good', ''],
    ['a success without the words', { code: 0, killed: null, out: '', err: '' }, 'unable', 'code 0'],
    [
      'the words for another namespace',
      { code: 0, killed: null, out: good.replace('svc-runtime', 'file'), err: '' },
      'unable',
      'Good "file"',
    ],
    ['another key', { code: 255, killed: null, out: no, err: '' }, 'refused', 'not by a release key'],
    [
      'a refusal with a reason',
      { code: 255, killed: null, out: no, err: 'incorrect signature\n' },
      'refused',
      'incorrect signature',
    ],
    [
      'no entry in passwd',
      { code: 255, killed: null, out: '', err: 'No user exists for uid 7\r\n' },
      'unable',
      'No user exists for uid 7',
    ],
    [
      'too old',
      { code: 1, killed: null, out: '', err: 'unknown option -- Y\nusage: …' },
      'unable',
      'unknown option -- Y',
    ],
    ['killed', { code: null, killed: 'SIGKILL', out: good, err: '' }, 'unable', 'Good'],
  ])('%s', (_what, ended, is, why) => {
    const verdict = judgeVerify(ended)
    expect(verdict.is).toBe(is)
    if (verdict.is !== 'good') expect(verdict.why).toContain(why)
  })

  test('the program is never searched for in a folder whose path is not absolute', () => {
    expect(sshKeygen({ SVC_SSH_KEYGEN: 'bin/ssh-keygen', PATH: '/usr/bin' })).toBeUndefined()
    expect(sshKeygen({ SVC_SSH_KEYGEN: process.execPath })).toBe(process.execPath)
    expect(sshKeygen({ PATH: '.:bin:' }) ?? '/').toMatch(/^\//)
  })
})

describe('the version inside a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-inside-'))
  const file = join(folder, 'svc.pyz')
  const inside = (bytes: Uint8Array) => {
    writeFileSync(file, bytes)
    return readInsideRelease(file)
  }
  const release = Buffer.from('{"version":"2.0.0","leastNode":20}')
  const made = (content: Buffer) =>
    Buffer.from(
      zipArchive([
        { name: 'x', content },
        { name: 'release.json', content },
      ]),
    )

  test('is read from its archive', () => {
    expect(inside(made(release))).toEqual({ version: '2.0.0', leastNode: 20 })
  })
  test('is unknown for a file that is cut anywhere, and reading it never fails', () => {
    const whole = made(release)
    for (let end = 0; end < whole.length - 2; end++)
      expect(inside(whole.subarray(0, end)), `${end} bytes`).toBeUndefined()
  })
  test('is unknown if the file has none', () => {
    for (const text of ['', '{}', '[]', 'null', '{"version":2}'])
      expect(inside(made(Buffer.from(text))), text).toBeUndefined()
    rmSync(folder, { recursive: true })
  })
})
