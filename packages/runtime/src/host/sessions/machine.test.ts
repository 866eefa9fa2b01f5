import { expect, test } from 'vitest'
import { holdersIn } from './machine.ts'

const locks = `1: FLOCK  ADVISORY  WRITE 812 fe:00:77 0 EOF
2: POSIX  ADVISORY  READ 813 00:25:77 128 128
2: -> POSIX  ADVISORY  WRITE 814 00:25:78 0 EOF
3: OFDLCK ADVISORY  WRITE -1 103:00:79 0 EOF
4: FLOCK  ADVISORY  WRITE 816 103:05:80 0 EOF
`
const device = (major: number, minor: number): number => major * 256 + (minor & 0xff) + (minor >> 8) * 2 ** 20

test.each([
  ['a file', device(0xfe, 0), 77, 812],
  ['a file with the same inode on another file system', device(0, 0x25), 77, 813],
  ['a file with that inode on a third one', device(8, 1), 77, undefined],
  ['a file for which somebody waits', device(0, 0x25), 78, undefined],
  ['a file whose holder nobody knows', device(0x103, 0), 79, undefined],
  ['a file of a device with a large number', device(0x103, 5), 80, 816],
])('the holder of the lock of %s', (_what, dev, ino, pid) => {
  expect(holdersIn(locks)({ dev, ino, hasOtherDevice: false })).toBe(pid)
})

test('on a file system with other devices in the list, the inode decides', () => {
  expect(holdersIn(locks)({ dev: device(0, 99), ino: 80, hasOtherDevice: true })).toBe(816)
  expect(holdersIn(locks)({ dev: device(0, 99), ino: 99, hasOtherDevice: true })).toBeUndefined()
})
