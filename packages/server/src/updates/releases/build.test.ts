import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { buildFolder, newKey, pyz, signed } from '../../../testing/releases.ts'
import { hasUnknownSigner, judgeBuild, readBuild, unknownSignerRemarks } from './build.ts'
import { askKeygen } from './keygen.ts'

const judge = (bytes: Buffer, signature?: Buffer) => judgeBuild('svc.pyz', bytes, undefined, signature)
const refusal = (message: RegExp) => ({ ok: false, message: expect.stringMatching(message) })

test.each(['ed25519', 'ecdsa', 'rsa'] as const)('a signature by a key of type %s is verified', (type) => {
  const key = newKey(type)
  const bytes = pyz('1.0.0', { keys: [key.line] })
  const good = signed(bytes, key)
  expect(judge(bytes, good)).toMatchObject({ ok: true, value: { version: '1.0.0', signed: true, remarks: [] } })
  expect(judge(pyz('1.0.1', { keys: [key.line] }), good)).toMatchObject(refusal(/does not match these bytes/))
  expect(judge(bytes, signed(bytes, key, 'file'))).toMatchObject(refusal(/namespace "file"/))
})

test('a signature must be complete and by a key that the build itself accepts', () => {
  const [mine, other] = [newKey(), newKey()]
  const bytes = pyz('1.0.0', { keys: [mine.line] })
  expect(judge(bytes, signed(bytes, other))).toMatchObject(refusal(/a key that this build itself does not accept/))
  const good = signed(bytes, mine)
  for (const length of [0, 30, 100, good.length - 40])
    expect(judge(bytes, good.subarray(0, length))).toMatchObject(refusal(/not an OpenSSH signature/))
  expect(
    judge(bytes, Buffer.from('-----BEGIN SSH SIGNATURE-----\nU1NIU0lH\n-----END SSH SIGNATURE-----\n')),
  ).toMatchObject(refusal(/not an OpenSSH signature/))
  expect(judge(bytes, Buffer.concat([good, Buffer.alloc(9000, 10)]))).toMatchObject(refusal(/8 KB/))
})

test('a file that is not a build, has no valid version or another checksum is refused', () => {
  expect(judge(Buffer.from('hello'))).toMatchObject(refusal(/has no release.json/))
  expect(judge(pyz('1.0.0').subarray(0, -3))).toMatchObject(refusal(/has no release.json/))
  for (const version of ['dev', '1.0', '1.0.0+7', '../1.0.0', `1.0.0-${'a'.repeat(64)}`])
    expect(judge(pyz(version))).toMatchObject(refusal(/semantic version/))
  expect(judgeBuild('svc.pyz', pyz('1.0.0'), `${'0'.repeat(64)} svc.pyz\n`, undefined)).toMatchObject(
    refusal(/does not match/),
  )
  expect(judge(pyz('1.0.0'))).toMatchObject({ ok: true, value: { remarks: [expect.stringMatching(/not signed/)] } })
})

test('a folder is read with the files beside the build; without a build it holds nothing', async () => {
  const key = newKey()
  const bytes = pyz('1.0.0', { keys: [key.line] })
  const folder = buildFolder(bytes, signed(bytes, key))
  expect(await readBuild(folder)).toMatchObject({ ok: true, value: { version: '1.0.0', signed: true } })
  writeFileSync(join(folder, 'svc.pyz.sha256'), 'nothing')
  expect(await readBuild(folder)).toMatchObject(refusal(/svc.pyz.sha256 does not match/))
  rmSync(join(folder, 'svc.pyz'))
  expect(await readBuild(folder)).toBeUndefined()
})

test('a file beside the build that cannot be read is no missing one: the build would count as unsigned', async () => {
  const key = newKey()
  const bytes = pyz('1.0.0', { keys: [key.line] })
  for (const name of ['svc.pyz', 'svc.pyz.sha256', 'svc.pyz.sig']) {
    const folder = buildFolder(bytes, signed(bytes, key))
    rmSync(join(folder, name), { force: true })
    symlinkSync('gone', join(folder, name))
    expect(await readBuild(folder)).toMatchObject(refusal(new RegExp(`${name} is a link that leads nowhere`)))
  }
})

const crlf = (signature: Buffer) => Buffer.from(signature.toString('latin1').replaceAll('\n', '\r\n'), 'latin1')

test('a signature whose lines end in CRLF is refused, as every runtime would refuse it (3.5)', async () => {
  const key = newKey()
  const bytes = pyz('1.0.0', { keys: [key.line] })
  const good = signed(bytes, key)
  expect(await readBuild(buildFolder(bytes, crlf(good)))).toMatchObject(refusal(/not an OpenSSH signature/))
  expect(await askKeygen(bytes, crlf(good), [key.line])).toMatchObject({ is: 'refused' })
  expect(await askKeygen(bytes, good, [key.line])).toEqual({ is: 'good' })
  expect(await askKeygen(bytes, good, [newKey().line])).toMatchObject({ is: 'refused' })
})

test.each(['ed25519', 'ecdsa', 'rsa'] as const)(
  'of all changes of one byte in a signature by a key of type %s, the service accepts none that ssh-keygen refuses',
  { timeout: 60_000 },
  async (type) => {
    const key = newKey(type)
    const bytes = pyz('1.0.0', { keys: [key.line] })
    const good = signed(bytes, key)
    const taken: Buffer[] = []
    for (let at = 0; at < good.length; at++) {
      for (const put of [0x41, 0x0d, 0x20, (good[at] as number) ^ 1]) {
        const changed = Buffer.from(good)
        changed[at] = put
        if (!changed.equals(good) && judge(bytes, changed).ok) taken.push(changed)
      }
    }
    expect(taken.length).toBeLessThan(20)
    for (const signature of taken) expect(await askKeygen(bytes, signature, [key.line])).toEqual({ is: 'good' })
  },
)

test('without ssh-keygen the service relies on its own verification, which is strict', async () => {
  const key = newKey()
  const bytes = pyz('1.0.0', { keys: [key.line] })
  const folder = buildFolder(bytes, signed(bytes, key))
  expect(await readBuild(folder, async () => ({ is: 'unable', why: 'missing' }))).toMatchObject({ ok: true })
})

test('without ssh-keygen a signature by a security key is refused, and the message says what to do', async () => {
  const text = (value: string | Buffer) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(value.length)
    return Buffer.concat([length, Buffer.from(value)])
  }
  const type = 'sk-ssh-ed25519@openssh.com'
  const key = Buffer.concat([text(type), text('key'), text('ssh:')])
  const bytes = pyz('1.0.0', { keys: [`${type} ${key.toString('base64')}`] })
  const fields = [key, 'svc-runtime', '', 'sha512', 'signature'].map(text)
  const blob = Buffer.concat([Buffer.from('SSHSIG'), Buffer.from([0, 0, 0, 1]), ...fields]).toString('base64')
  const armored = Buffer.from(`-----BEGIN SSH SIGNATURE-----\n${blob}\n-----END SSH SIGNATURE-----\n`)
  expect(
    await readBuild(buildFolder(bytes, armored), async () => ({ is: 'unable', why: 'there is none' })),
  ).toMatchObject(refusal(/without ssh-keygen: there is none\. Install OpenSSH .*openssh-client.*ssh-ed25519/))
})

test.each([
  ['the runtimes know the key', '1.0.0', 'mine', false, []],
  ['the runtimes know another key', '1.0.0', 'other', true, [/Runtimes of release 1.0.0 do not know the key/]],
  [
    'the runtimes have no key',
    '1.0.0',
    'none',
    false,
    [/Runtimes of release 1.0.0 have no release key and trust no file: replace/],
  ],
  ['the keys of the runtimes are unknown', '1.0.0', 'unknown', false, []],
  [
    'the same version was served unsigned',
    '1.1.0',
    'mine',
    false,
    [/count as up to date: give this build a newer version/],
  ],
] as const)('the first signed release replaces an unsigned one: %s', (_what, version, has, stranger, remarks) => {
  const [mine, other] = [newKey(), newKey()]
  const bytes = pyz('1.1.0', { keys: [mine.line] })
  const build = judge(bytes, signed(bytes, mine))
  if (!build.ok) throw new Error(build.message)
  const keys = { mine: [mine.line], other: [other.line], none: [], unknown: undefined }[has]
  const before = judge(pyz(version, { salt: 'unsigned', ...(keys && { keys }) }))
  if (!before.ok) throw new Error(before.message)
  const served = { ...before.value, file: before.value.bytes }
  expect(hasUnknownSigner(build.value, served)).toBe(stranger)
  expect(unknownSignerRemarks(build.value, served)).toEqual(remarks.map((remark) => expect.stringMatching(remark)))
})

test('a temporary folder that cannot be written leaves the signature undecided, with the reason', async () => {
  const key = newKey()
  const bytes = pyz('1.0.0', { keys: [key.line] })
  const signature = signed(bytes, key)
  vi.stubEnv('TMPDIR', '/no such folder')
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(await askKeygen(bytes, signature, [key.line], '/bin/true')).toEqual({
    is: 'unable',
    why: expect.stringContaining('there is no such file or folder'),
  })
})
