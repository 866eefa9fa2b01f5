/** Tests scripts/ensure.sh with a small npm of the test, which notes its calls and fails if two run at once. */
import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const npm = `#!/bin/sh
mkdir running || { echo 'two at once' >>calls; exit 1; }
echo "$1" >>calls
sleep 0.2
[ "$1" = ci ] && rm -rf node_modules
mkdir -p node_modules/.bin
ln -sf "$REAL_NODE" node_modules/.bin/node
echo '{}' >node_modules/.package-lock.json
rmdir running
[ ! -e fails ]
`

/** Makes a checkout with a lock file, without dependencies. */
function checkout() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-ensure-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of ['scripts', 'bin', '.cache']) mkdirSync(join(folder, name))
  copyFileSync(join(import.meta.dirname, 'ensure.sh'), join(folder, 'scripts/ensure.sh'))
  writeFileSync(join(folder, 'package-lock.json'), '{}')
  writeFileSync(join(folder, 'bin/npm'), npm)
  chmodSync(join(folder, 'bin/npm'), 0o755)
  const env = {
    ...process.env,
    PATH: `${join(folder, 'bin')}${delimiter}${process.env.PATH}`,
    REAL_NODE: process.execPath,
  }
  const ensure = () =>
    new Promise<number | null>((resolve) => {
      const child = spawn('sh', [join(folder, 'scripts/ensure.sh')], { env, stdio: 'ignore' })
      child.on('exit', resolve)
    })
  const calls = () =>
    existsSync(join(folder, 'calls')) ? readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n') : []
  return { folder, ensure, calls }
}

/** The id of a process that has ended. */
const ended = spawnSync('true').pid

const copy = (folder: string) => {
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true })
  copyFileSync(process.execPath, join(folder, 'node_modules/.bin/node'))
}
const locked = (folder: string, ids: string) => {
  mkdirSync(join(folder, '.cache/install.lock'))
  writeFileSync(join(folder, '.cache/install.lock/pid'), ids)
}

test.each<[string, (folder: string) => void]>([
  ['in a fresh clone', () => {}],
  ['where an installation was broken off', copy],
  [
    'where an installation failed at its end',
    (folder) => {
      copy(folder)
      writeFileSync(join(folder, 'node_modules/.package-lock.json'), '{}')
      writeFileSync(join(folder, '.cache/installing'), '')
    },
  ],
  ['after a start that was killed', (folder) => locked(folder, `${ended}\n`)],
])('of three starts at once %s, one installs and the others wait', async (_where, prepare) => {
  const { folder, ensure, calls } = checkout()
  prepare(folder)
  expect(await Promise.all([ensure(), ensure(), ensure()])).toEqual([0, 0, 0])
  expect(calls()).toEqual(['ci'])
  expect(await ensure()).toBe(0)
  expect(calls()).toEqual(['ci'])
  expect(['install.lock', 'installing'].filter((name) => existsSync(join(folder, '.cache', name)))).toEqual([])
})

test('a failed installation is said, and tried again by the next start', async () => {
  const { folder, ensure, calls } = checkout()
  writeFileSync(join(folder, 'fails'), '')
  expect(await ensure()).toBe(1)
  rmSync(join(folder, 'fails'))
  expect(await ensure()).toBe(0)
  expect(calls()).toEqual(['ci', 'ci'])
})
