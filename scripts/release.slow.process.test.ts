/**
 * Tests `npm run release` with real keys. It writes into temporary folders. `npm test` leaves this out.
 * packages/server/src/updates/releases/build.test.ts proves the same rules.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { readBuild } from '../packages/server/src/updates/releases/build.ts'
import { publicPart } from './release/keys.ts'
import { sign, verify } from './release/sign.ts'

const dir = mkdtempSync(join(tmpdir(), 'svc-release-test-'))
const [key, keys, out] = [join(dir, 'release-key'), join(dir, 'keys'), join(dir, 'out')]
const signature = join(out, 'svc.pyz.sig')
beforeAll(() => {
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

/** Runs `npm run release` with an environment without the ssh agent of the person who runs the tests. */
function release(...args: string[]) {
  const program = join(import.meta.dirname, 'release.ts')
  const all = [program, '--keys', keys, '--out', out, ...args]
  const env = { PATH: process.env.PATH ?? '', HOME: dir }
  const { status, stdout, stderr } = spawnSync(process.execPath, all, { cwd: dir, env, encoding: 'utf8' })
  return { code: status, stdout, stderr }
}
const built = async () => {
  const read = await readBuild(out)
  return read?.ok
    ? { version: read.value.version, signed: read.value.signed, sha256: read.value.sha256 }
    : read?.message
}
const publicKey = () => readFileSync(`${key}.pub`, 'utf8').split(' ').slice(0, 2).join(' ')

test('a key that is not built in signs nothing until it is added', async () => {
  writeFileSync(keys, '# none yet')
  const refused = release('--key', key, '--version', '3.0.0')
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(publicKey()) })
  expect(existsSync(out)).toBe(false)
  const added = release('--key', key, '--version', '3.0.0', '--add-key')
  expect(added).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/Release 3.0.0 is in .*\n {2}SHA-256 \w{64}\n {2}signed by ssh-ed25519/),
  })
  expect(readFileSync(keys, 'utf8')).toBe(`# none yet\n${publicKey()}\n`)
  expect(await built()).toMatchObject({ version: '3.0.0', signed: true })
})

test('the signature is one that ssh-keygen accepts', async () => {
  const allowed = join(dir, 'allowed')
  writeFileSync(allowed, `svc-release namespaces="svc-runtime" ${publicKey()}\n`)
  const said = execFileSync(
    'ssh-keygen',
    ['-Y', 'verify', '-f', allowed, '-I', 'svc-release', '-n', 'svc-runtime', '-s', signature],
    { input: readFileSync(join(out, 'svc.pyz')), encoding: 'utf8' },
  )
  expect(said).toContain('Good "svc-runtime" signature for svc-release')
})

test('a key in an agent can sign, and so can one whose passphrase is asked for', async () => {
  const [socket, alone, file] = [join(dir, 'agent'), join(dir, 'alone.pub'), join(out, 'svc.pyz')]
  const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void agent.kill())
  await once(agent.stdout, 'data')
  vi.stubEnv('SSH_AUTH_SOCK', socket)
  execFileSync('ssh-add', ['-q', key])
  copyFileSync(`${key}.pub`, alone)
  expect(publicPart(alone)).toBe(publicKey())
  verify(file, sign(file, alone), [publicKey()])

  const [locked, asks] = [join(dir, 'locked'), join(dir, 'asks')]
  copyFileSync(key, locked)
  execFileSync('ssh-keygen', ['-q', '-p', '-P', '', '-N', 'a passphrase', '-f', locked])
  writeFileSync(asks, '#!/bin/sh\necho a passphrase\n', { mode: 0o700 })
  vi.stubEnv('SSH_AUTH_SOCK', undefined)
  vi.stubEnv('SSH_ASKPASS', asks)
  vi.stubEnv('SSH_ASKPASS_REQUIRE', 'force')
  expect(publicPart(locked)).toBe(publicKey())
  verify(file, sign(file, locked), [publicKey()])
  expect(() => verify(join(out, 'svc.pyz.sha256'), sign(file, locked), [publicKey()])).toThrow(/incorrect signature/)
  vi.unstubAllEnvs()
})

test('without a key the build has no signature, and an older signature is removed', async () => {
  const done = release('--version', '3.1.0-rc.1')
  expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('NOT SIGNED') })
  expect(await built()).toMatchObject({ version: '3.1.0-rc.1', signed: false })
  expect(existsSync(signature)).toBe(false)
})

test('a release that is not possible says why', async () => {
  const before = await built()
  expect(release('--version', '3')).toMatchObject({ code: 1, stderr: expect.stringMatching(/semantic version.*"3"/) })
  expect(release('--key', join(dir, 'no-key'))).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/no such file/),
  })
  expect(release('--key', keys)).toMatchObject({ code: 1, stderr: expect.stringMatching(/ssh-keygen/) })
  expect(release('--keys', key)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/must be an OpenSSH public key/),
  })
  expect(release('--sign')).toMatchObject({ code: 2, stderr: expect.stringMatching(/--key FILE/) })
  expect(await built()).toEqual(before)
})
