/**
 * Tests starts on data folders that cannot be used: on a full disk, with files of another user, on a file system
 * without locks. `npm test` leaves this out. packages/server/src/platform/failed-start.test.ts proves the same rules.
 */
import { spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { byLevel } from '../../../../testing/level.ts'
import { newServiceHome } from '../../testing/service-process.ts'
import { fill, mayMount, smallDisk } from '../../testing/small-disk.ts'

/** The free bytes with which a first start fails: before there is a folder, or while the database is made. */
const tooSmall = [0, 100_000, 300_000]

test.skipIf(!mayMount).each(byLevel([], [300_000], tooSmall))(
  'a first start on a disk with %i free bytes says why it fails, and the next one succeeds when there is room',
  async (free) => {
    const home = await newServiceHome()
    const disk = smallDisk(home, '16m') as string
    home.env.SVC_DATA_DIR = join(disk, 'data')
    const room = join(disk, 'room')
    writeFileSync(room, Buffer.alloc(free))
    const filling = fill(disk)
    rmSync(room)
    const { code, stderr } = await home.run(['start'])
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^svc-server: The (data folder|database) .*no space is left/),
    ])
    expect(stderr).not.toContain('    at ')
    rmSync(filling)
    await home.start()
  },
)

test.skipIf(!mayMount)('a start on a full disk says so, and the data are whole when there is room', async () => {
  const home = await newServiceHome()
  const disk = smallDisk(home, '16m') as string
  home.env.SVC_DATA_DIR = join(disk, 'data')
  await home.run(['workspace', 'create', 'north'])
  const filling = fill(disk)
  const { code, stderr } = await home.run(['start'])
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(`The data folder ${home.dataDir} cannot be used: no space is left on the disk`),
  ])
  rmSync(filling)
  await home.start()
  expect(await home.value(['workspace', 'list'])).toMatchObject([{ slug: 'north' }])
})

const nobody = 65_534
const canBeNobody =
  process.getuid?.() === 0 && spawnSync(process.execPath, ['--version'], { uid: nobody, cwd: '/' }).status === 0

test.runIf(canBeNobody)('a start as a user who does not own every file of the folder names the file', async () => {
  const home = await newServiceHome()
  chownSync(home.folder, nobody, nobody)
  await home.run(['workspace', 'create', 'north'])
  chownSync(home.dataDir, nobody, nobody)
  // The service did not make this folder, so its owner must not keep the service from starting.
  mkdirSync(join(home.dataDir, 'lost+found'), { mode: 0o700 })
  const { code, stderr } = await home.as(nobody).run(['start'])
  expect([code, stderr]).toEqual([
    1,
    `svc-server: ${join(home.dataDir, 'secret')} is not accessible to this user. Run this as the user of the service, or as root.\n`,
  ])
})

/** A library that refuses locks of files, as a network file system without a lock service does. */
const noLocks = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#define REFUSING(name) int name(int fd, int cmd, ...) { \\
  va_list more; va_start(more, cmd); void *arg = va_arg(more, void *); va_end(more); \\
  if (cmd == F_SETLK || cmd == F_SETLKW) { errno = ENOLCK; return -1; } \\
  return ((int (*)(int, int, ...))dlsym(RTLD_NEXT, #name))(fd, cmd, arg); }
REFUSING(fcntl)
REFUSING(fcntl64)
`
const hasCompiler = spawnSync('gcc', ['--version']).status === 0
if (!hasCompiler) console.warn('NOT TESTED: storage without locks, because there is no gcc.')

test.skipIf(!hasCompiler)('a start on a file system without locks ends after half a minute, and says so', async () => {
  const home = await newServiceHome()
  const library = join(home.folder, 'no-locks.so')
  const built = spawnSync('gcc', ['-shared', '-fPIC', '-xc', '-o', library, '-', '-ldl'], { input: noLocks })
  expect(built.stderr.toString()).toBe('')
  mkdirSync(home.dataDir)
  home.env.LD_PRELOAD = library
  const { code, stderr } = await home.run(['start'])
  expect([code, stderr]).toEqual([1, expect.stringMatching(/is in use by another process\. .*has no locks/)])
})
