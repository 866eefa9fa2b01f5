import { expect, test } from 'vitest'
import { linesTo } from './lines.ts'

const system = (code: string) => Object.assign(new Error(code), { code })

/** A file descriptor with `room` bytes. A write that finds no room fails with `code`. */
function newDisk(room: number, code: string) {
  const disk = { room, code, text: '', calls: 0 }
  const later: (() => void)[] = []
  const lines = linesTo({
    put: (bytes) => {
      disk.calls++
      if (disk.room === 0) throw system(disk.code)
      const taken = Math.min(disk.room, bytes.length)
      disk.text += Buffer.from(bytes.subarray(0, taken)).toString('latin1')
      disk.room -= taken
      return taken
    },
    notice: (lost, why) => `${lost} lost: ${why}\n`,
    later: (work) => void later.push(work),
  })
  /** Runs the next retry at once. */
  const pass = () => later.shift()?.()
  return { disk, lines, pass }
}

test.each(['ENOSPC', 'EIO', 'EDQUOT', 'EPIPE', 'EBADF', 'EFBIG', 'EINVAL'])(
  'a line that fails with %s is dropped and counted, and the log says so when there is room again',
  (code) => {
    const { disk, lines } = newDisk(0, code)
    lines.write('one\n')
    lines.write('two\n')
    expect([lines.lost, disk.text]).toEqual([2, ''])
    disk.room = 1000
    lines.write('three\n')
    lines.write('four\n')
    expect([lines.lost, disk.text]).toEqual([2, `2 lost: ${code}\nthree\nfour\n`])
  },
)

test('a line that was cut off by a full disk is ended, so that the next line can be read', () => {
  const { disk, lines } = newDisk(3, 'ENOSPC')
  lines.write('{"one"}\n')
  expect(lines.lost).toBe(1)
  disk.room = 1000
  lines.write('{"two"}\n')
  expect(disk.text).toBe('{"o\n1 lost: ENOSPC\n{"two"}\n')
})

test('the log says how many lines were lost even if no further line is written', () => {
  const { disk, lines, pass } = newDisk(0, 'ENOSPC')
  lines.write('one\n')
  pass()
  expect(disk.text).toBe('')
  disk.room = 1000
  pass()
  expect(disk.text).toBe('1 lost: ENOSPC\n')
  expect(pass()).toBeUndefined()
})

test('lines for a slow reader wait in memory and arrive whole and in order', () => {
  const { disk, lines, pass } = newDisk(5, 'EAGAIN')
  for (const line of ['first\n', 'second\n', 'third\n']) lines.write(line)
  expect(disk.text).toBe('first')
  disk.room = 4
  pass()
  disk.room = 1000
  pass()
  expect([disk.text, lines.lost]).toEqual(['first\nsecond\nthird\n', 0])
})

test('a reader that reads nothing costs at most 1 MB of memory; further lines are lost', () => {
  const { disk, lines } = newDisk(0, 'EAGAIN')
  const line = `${'x'.repeat(1023)}\n`
  for (let i = 0; i < 1030; i++) lines.write(line)
  expect(lines.lost).toBe(6)
  disk.room = 2 * 1024 * 1024
  expect(lines.flush()).toBe(true)
  expect(disk.text).toBe(`${line.repeat(1024)}6 lost: EAGAIN\n`)
})

test('lines that wait for a reader are lost when the reader is gone', () => {
  const { disk, lines } = newDisk(2, 'EAGAIN')
  lines.write('one\n')
  disk.code = 'EPIPE'
  lines.write('two\n')
  expect(lines.lost).toBe(2)
  disk.room = 1000
  lines.write('three\n')
  expect(disk.text).toBe('on\n2 lost: EPIPE\nthree\n')
})
