/**
 * Tests look-ups with a real name server that does not answer. `npm test` leaves this out.
 * packages/server/src/deliveries/names/helper.process.test.ts proves the same rules.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'

const script =
  'ip link set lo up && mount --bind "$0/hosts" /etc/hosts && mount --bind "$0/resolv.conf" /etc/resolv.conf'
const inNetwork = (folder: string, ...command: string[]) => [
  ...['--net', '--mount', '--propagation', 'private', 'sh', '-c', `${script} && exec "$@"`, folder, ...command],
]
const folder = mkdtempSync(join(tmpdir(), 'svc-names-'))
writeFileSync(join(folder, 'hosts'), '127.0.0.1 localhost named-in-hosts\n')
writeFileSync(join(folder, 'resolv.conf'), 'nameserver 127.0.0.1\noptions timeout:30 attempts:5\n')
const mayTry = spawnSync('unshare', inNetwork(folder, 'true')).status === 0
if (!mayTry)
  console.warn('NOT TESTED: a name server that does not answer, because this user has no network of its own.')

test.runIf(mayTry)('while 100 names hang, other names and files are served, and each look-up ends', async () => {
  const program = join(import.meta.dirname, '../../../testing/silent-names.ts')
  const child = spawn('unshare', inNetwork(folder, process.execPath, program), { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [said] = await Promise.all([text(child.stdout), once(child, 'exit')])
  const { good, endedBefore, answers } = JSON.parse(said)
  expect(good.map(({ status }: { status: number }) => status)).toEqual([200, 200, 200])
  expect(endedBefore).toBe(0)
  for (const answer of answers) expect(JSON.parse(answer).is).toBe('unreachable')
})
