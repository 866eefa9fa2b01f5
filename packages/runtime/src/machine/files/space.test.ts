import { describe, expect, test } from 'vitest'
import { explainedError, type FreeSpace, isDiskFault, isNoRoom, judgeSpace, spaceSentence } from './space.ts'

const [kb, mb, gb, tb] = [1024, 1024 ** 2, 1024 ** 3, 1024 ** 4]
const space = (bytes: number, freeBytes: number, more: Partial<FreeSpace> = {}): FreeSpace => ({
  bytes,
  freeBytes,
  ...more,
})

describe('a file system', () => {
  test.each<[string, FreeSpace, ReturnType<typeof judgeSpace>]>([
    ['with much room', space(100 * gb, 40 * gb), undefined],
    ['with 50 MB, which are more than a percent', space(gb, 50 * mb), undefined],
    ['with less than 50 MB', space(gb, 50 * mb - 1), 'tight'],
    ['with a percent, which is more than 50 MB', space(tb, 0.01 * tb), undefined],
    ['with less than a percent', space(tb, 0.0099 * tb), 'tight'],
    ['that is small as a whole', space(24 * mb, 23 * mb), 'tight'],
    ['with a megabyte', space(24 * mb, mb), 'tight'],
    ['with less than a megabyte', space(gb, mb - 1), 'full'],
    ['with nothing', space(gb, 0), 'full'],
    ['without inodes', space(gb, gb, { inodes: 65_536, freeInodes: 0 }), 'full'],
    ['with few inodes', space(gb, gb, { inodes: 1000, freeInodes: 199 }), 'tight'],
    ['with less than a percent of its inodes', space(gb, gb, { inodes: 1e6, freeInodes: 9999 }), 'tight'],
    ['with enough inodes', space(gb, gb, { inodes: 1e6, freeInodes: 10_000 }), undefined],
    ['that counts no inodes', space(gb, gb, { inodes: 0, freeInodes: 0 }), undefined],
    ['that is read-only', space(gb, gb, { readOnly: true }), 'read-only'],
  ])('%s', (_case, facts, is) => {
    expect(judgeSpace(facts)).toBe(is)
    const sentence = spaceSentence(facts, '/srv')
    expect(sentence === undefined).toBe(is === undefined)
    if (sentence) expect(sentence).toMatch(/^The file system at \/srv is .*\. [A-Z].*\.$/)
  })

  test('is described with its figures and with what to do', () => {
    expect(spaceSentence(space(24e6, 512 * kb, { inodes: 300, freeInodes: 0 }), '/srv')).toBe(
      'The file system at /srv is full: 524.3 KB of 24.0 MB, and 0 of 300 inodes are free. Remove what nobody needs there.',
    )
  })
})

describe('a failed call of the system', () => {
  const failed = (code: string) => Object.assign(new Error(`${code}: something, write`), { code })
  test.each([
    ['ENOSPC', true, 'space'],
    ['EDQUOT', true, 'quota'],
    ['EROFS', false, 'read-only'],
    ['EIO', false, 'disk'],
    ['EMFILE', false, 'open files'],
    ['ENFILE', false, 'open files'],
  ])('%s is explained, with the file and what to do', (code, noRoom, word) => {
    const error = explainedError(failed(code), '/work/note')
    expect(error).toMatchObject({
      code,
      message: expect.stringMatching(/^\/work\/note could not be written, because .*\. [A-Z].*\.$/),
    })
    expect((error as Error).message).toContain(word)
    expect([isNoRoom(error), isDiskFault(error)]).toEqual([noRoom, true])
    expect(explainedError(error, '/other')).toBe(error)
  })

  test.each(['ENOENT', 'EACCES', 'EISDIR'])('%s stays as it is', (code) => {
    const error = failed(code)
    expect([explainedError(error, '/work'), isDiskFault(error)]).toEqual([error, false])
  })
})
