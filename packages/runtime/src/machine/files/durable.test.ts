import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { onFaultyDisk } from '../../../testing/faulty-disk.ts'
import { writeDurably, writeLightly, writeTogether } from './durable.ts'
import { fillReserve } from './reserve.ts'

let svc: string
const at = (name: string) => join(svc, name)
const read = (name: string) => readFileSync(at(name), 'utf8')
const spares = () => readdirSync(at('reserve')).length
beforeEach(() => {
  svc = join(mkdtempSync(join(tmpdir(), 'svc-durable-')), '.svc')
  mkdirSync(svc)
  for (const name of ['one', 'two']) writeFileSync(at(name), 'old')
})
afterEach(() => rmSync(join(svc, '..'), { recursive: true }))

describe('files that are replaced together', () => {
  const both = () =>
    writeTogether([
      { file: at('one'), data: 'new' },
      { file: at('two'), data: 'new' },
    ])
  test.each(['ENOSPC', 'ENOSPC from then on'] as const)('are all replaced or all as before, at any %s', (kind) => {
    for (let n = 1; n < 50; n++) {
      for (const name of ['one', 'two']) writeFileSync(at(name), 'old')
      let failed = false
      const { struck } = onFaultyDisk(n, kind, () => {
        try {
          both()
        } catch (error) {
          failed = true
          expect(error).toMatchObject({
            code: 'ENOSPC',
            message: expect.stringContaining(' could not be written, because '),
          })
        }
      })
      expect([read('one'), read('two')], `change ${n}`).toEqual(failed ? ['old', 'old'] : ['new', 'new'])
      expect(readdirSync(svc), `nothing is left at change ${n}`).toEqual(['one', 'two'])
      if (!struck) return
    }
    expect.unreachable()
  })
})

describe('the reserve', () => {
  /** Only what needs new inodes fails: as on a full disk, a file that exists can be overwritten. */
  const withoutInodes = (work: () => void) => {
    let failed = false
    onFaultyDisk(2, 'ENOSPC', () => {
      try {
        work()
      } catch {
        failed = true
      }
    })
    return failed
  }

  test('gives its files to notes that the disk refuses, and is filled again', () => {
    fillReserve(svc)
    const before = spares()
    expect(before).toBeGreaterThan(10)
    expect(withoutInodes(() => writeDurably(at('one'), 'new', 0o600))).toBe(false)
    expect([read('one'), statSync(at('one')).mode & 0o777, spares()]).toEqual(['new', 0o600, before])
    expect(readdirSync(svc).sort()).toEqual(['one', 'reserve', 'two'])
  })

  test('is not used for files that are only copies', () => {
    fillReserve(svc)
    onFaultyDisk(1, 'ENOSPC', () => expect(() => writeLightly(at('one'), 'new')).toThrow('could not be written'))
    expect(read('one')).toBe('old')
  })

  test('keeps some files for what stops the agent', () => {
    fillReserve(svc)
    for (const name of readdirSync(at('reserve')).slice(0, -4)) rmSync(at(`reserve/${name}`))
    expect(withoutInodes(() => writeDurably(at('one'), 'new'))).toBe(true)
    expect(withoutInodes(() => writeDurably(at('one'), 'new', 0o644, 'stop'))).toBe(false)
    expect(read('one')).toBe('new')
  })
})
