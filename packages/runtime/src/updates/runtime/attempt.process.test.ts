/**
 * Tests single attempts to update the runtime with real files, a real service and a real ssh-keygen, but without a
 * running runtime: the reasons for which a file is not accepted.
 */
import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { agentFolder } from '../../../testing/folder.ts'
import { type Build, openWorkshop, type Served, serveRelease, type Workshop } from '../../../testing/releases.ts'
import { json, type Reply, type Service, startService } from '../../../testing/service.ts'
import { attemptRuntimeUpdate, type EndedAttempt } from './attempt.ts'

const agent = agentFolder()
const { root } = agent
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
let shop: Workshop
let one: Build
let three: Build
let service: Service
beforeAll(async () => {
  vi.stubEnv('SVC_TIME_SCALE', '0.005')
  shop = openWorkshop()
  one = await shop.build('1.0.0')
  three = await shop.build('3.0.0')
  service = await startService()
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await service.close()
  shop.remove()
  agent.remove()
})

/**
 * Tries to update to 3.0.0 as the service serves it. Returns how the attempt ended, and which files were swapped in.
 */
async function tried(
  sha256: string,
  keygen?: string | null,
  keys: readonly string[] = shop.keys,
): Promise<EndedAttempt & { swapped: readonly string[] }> {
  const folder = join(root, 'staged')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  const program = join(root, 'ssh-keygen')
  rmSync(program, { force: true })
  if (keygen) writeFileSync(program, `#!/bin/sh\n${keygen}\n`)
  if (keygen) chmodSync(program, 0o755)
  vi.stubEnv('SVC_SSH_KEYGEN', keygen === undefined ? undefined : program)
  const swapped: string[] = []
  const ended = await attemptRuntimeUpdate({
    wish: '3.0.0',
    served: { version: '3.0.0', sha256 },
    origin: service.origin,
    root,
    folder,
    keys,
    signal: new AbortController().signal,
    stands: () => true,
    swap: async (_file, sha256) => {
      swapped.push(sha256)
      return { is: 'done', value: undefined }
    },
  })
  return { ...ended, swapped }
}

/**
 * One case: the files that the service serves, how the attempt ends, why the files are not accepted, and a script that
 * takes the place of ssh-keygen (`null`: there is no ssh-keygen; absent: the machine's own).
 */
type Case = readonly [
  what: string,
  event: EndedAttempt['event'],
  served: () => Partial<Served>,
  why: RegExp,
  keygen?: string | null,
]
const sig = () => shop.sign(three.bytes)
const half = () => three.bytes.subarray(0, -100)
const cases: readonly Case[] = [
  ['no signature', 'refused', () => ({}), /is not signed/],
  ['a stranger’s key', 'refused', () => ({ sig: shop.sign(three.bytes, { key: 'strange' }) }), /not by a release key/],
  ['another namespace', 'refused', () => ({ sig: shop.sign(three.bytes, { namespace: 'file' }) }), /namespace/],
  ['a signature of another file', 'refused', () => ({ sig: shop.sign(one.bytes) }), /incorrect signature/],
  ['a truncated signature', 'refused', () => ({ sig: sig().subarray(0, 120) }), /signature was refused/],
  ['an empty signature', 'refused', () => ({ sig: Buffer.alloc(0) }), /signature was refused/],
  [
    'a signature that is too long',
    'unreachable',
    () => ({ sig: Buffer.alloc(9000, 65) }),
    /signature could not be downloaded: .*larger/,
  ],
  ['a truncated file', 'differs', () => ({ bytes: half(), sig: shop.sign(half()) }), /no runtime, or only a part/],
  [
    'another version inside',
    'differs',
    () => ({ bytes: one.bytes, sig: shop.sign(one.bytes) }),
    /it is version 1\.0\.0/,
  ],
  [
    'another checksum in the answer',
    'differs',
    () => ({ sig: sig(), sha256: 'a'.repeat(64) }),
    /checksum is .* the service named aaaa/,
  ],
  ['another checksum in the header', 'differs', () => ({ sig: sig(), header: 'b'.repeat(64) }), /its header says bbbb/],
  ['no ssh-keygen', 'unable', () => ({ sig: sig() }), /no ssh-keygen/, null],
  ['an ssh-keygen that hangs', 'unable', () => ({ sig: sig() }), /did not end within 30 s/, 'exec sleep 1000'],
  [
    'a user without a name',
    'unable',
    () => ({ sig: sig() }),
    /No user exists for uid 7/,
    'echo "No user exists for uid 7" >&2; exit 255',
  ],
  [
    'an old ssh-keygen',
    'unable',
    () => ({ sig: sig() }),
    /unknown option -- Y/,
    'echo "unknown option -- Y" >&2; exit 1',
  ],
  ['an ssh-keygen that only agrees', 'unable', () => ({ sig: sig() }), /could not verify/, 'exit 0'],
]
for (const [what, event, served, why, keygen] of cases)
  test(`${what}: ${event}, and the message says why`, async () => {
    const { bytes = three.bytes, ...more } = served()
    serveRelease(service, { version: '3.0.0', bytes, ...more })
    const named = more.sha256 ?? (bytes === three.bytes ? three.sha256 : '')
    const ended = await tried(named === '' ? hashOf(bytes) : named, keygen)
    expect(ended).toEqual({ event, why: expect.stringMatching(why), swapped: [] })
  })

test('a complete file with a good signature, by each built-in key, passes its start and is handed over', async () => {
  for (const key of ['own', 'second'] as const) {
    const asked = serveRelease(service, { version: '3.0.0', bytes: three.bytes, sig: shop.sign(three.bytes, { key }) })
    expect(await tried(three.sha256), key).toEqual({ event: 'done', why: '', swapped: [three.sha256] })
    expect(asked.map(({ path, token }) => [path, token])).toEqual([
      ['/cli/svc.pyz', undefined],
      ['/cli/svc.pyz.sig', undefined],
    ])
  }
})

test.each([
  ['own', (keys: readonly string[]) => keys, 'done', /^$/],
  ['own', (keys: readonly string[]) => keys.slice(0, 1), 'refused', /not by a release key/],
  ['own', () => [], 'refused', /no release key is built into this runtime, so it trusts no file/],
  ['strange', (keys: readonly string[]) => keys, 'refused', /not by a release key/],
] as const)(
  'the first signature that a runtime sees is never trusted by itself: key %s, %s: %s',
  async (key, built, event, why) => {
    serveRelease(service, { version: '3.0.0', bytes: three.bytes, sig: shop.sign(three.bytes, { key }) })
    const swapped = event === 'done' ? [three.sha256] : []
    const ended = await tried(three.sha256, undefined, built(shop.keys))
    expect(ended).toEqual({ event, why: expect.stringMatching(why), swapped })
  },
)

/**
 * Bad answers of a service to requests for files below `/cli/`. download.test.ts tests an answer that is sent too
 * slowly.
 */
const badServices: readonly (readonly [what: string, reply: Reply, why: RegExp])[] = [
  ['refuses the rate', json({}, 429), /could not be downloaded: the service answered 429/],
  ['is being restarted', json({}, 503), /could not be downloaded: the service answered 503/],
  [
    'redirects',
    (response) => void response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
    /redirects are not followed/,
  ],
  ['breaks off', (response, _came, socket) => void response.write('x', () => socket.destroy()), /broke off|reset/],
]
test.each(badServices)(
  'a service that %s is asked three times (D35), and the message says why',
  async (_what, reply, why) => {
    const before = service.others.length
    service.other = reply
    expect(await tried(three.sha256)).toEqual({ event: 'unreachable', why: expect.stringMatching(why), swapped: [] })
    expect(service.others.length - before).toBe(3)
  },
)
