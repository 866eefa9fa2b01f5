import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { buildFolder, buildOf, newKey, pyz } from '../../../testing/releases.ts'
import { onBothEngines } from '../../../testing/stores.ts'
import { newClock } from '../../../testing/test-workspace.ts'
import type { Store } from '../../platform/db/open.ts'
import { judgeBuild, type RuntimeBuild } from './build.ts'
import { noReleases, openReleases } from './releases.ts'
import { addRelease, adoptRelease, listReleases, servedRelease } from './store.ts'

const by = { id: null, name: 'operator' }
const now = newClock().now()
const add = (store: Store, ...[version, given, older]: [string, Parameters<typeof buildOf>[1]?, boolean?]) =>
  addRelease(store.db, buildOf(version, given), { older: older ?? false, by, now })
const adopt = (store: Store, ...[version, given]: Parameters<typeof buildOf>) =>
  adoptRelease(store.db, buildOf(version, given), { by, now })

/** Opens the releases as one node of the service does. */
async function node(store: Store, releaseDir = '/nowhere') {
  const log = pino({ level: 'silent' })
  const releases = await openReleases({ store, log, now: Date.now, config: { releaseDir, version: '9.9.9' } })
  onTestFinished(releases.close)
  return releases
}

onBothEngines('releases', (open) => {
  test('the release added last is served, an older one only with consent, and everything is audited', async () => {
    const store = await open()
    expect(await servedRelease(store.db)).toBeUndefined()
    expect(await add(store, '1.0.0')).toMatchObject({ ok: true, value: { serial: 1, signed: false, changed: true } })
    expect(await add(store, '1.1.0', { key: newKey() })).toMatchObject({ ok: true, value: { serial: 2, signed: true } })
    expect(await add(store, '1.0.0')).toMatchObject({ ok: false, code: 'release_older' })
    expect(await servedRelease(store.db)).toMatchObject({ serial: 2, version: '1.1.0', signed: true })
    expect(await add(store, '1.0.0', {}, true)).toMatchObject({ ok: true, value: { serial: 3 } })
    expect(await add(store, '1.0.0')).toMatchObject({ ok: true, value: { serial: 3, changed: false } })
    expect((await listReleases(store.db)).map(({ version }) => version)).toEqual(['1.0.0', '1.1.0', '1.0.0'])
    const notes = await store.db.selectFrom('audit').select(['action', 'subject']).orderBy('id').execute()
    expect(notes).toEqual(
      ['1.0.0', '1.1.0', '1.0.0'].map((version) => ({ action: 'release.added', subject: `release ${version}` })),
    )
  })

  test('another good signature of the same bytes replaces the stored one, and nodes serve it', async () => {
    const store = await open()
    const key = newKey('ecdsa') // Each signature with an ECDSA key is different, even of the same bytes.
    const bytes = pyz('1.0.0', { keys: [key.line] })
    const [first, second] = [buildOf('1.0.0', { key }), buildOf('1.0.0', { key })]
    expect(first.bytes.equals(bytes) && !first.signature?.equals(second.signature as Buffer)).toBe(true)
    const added = (build: RuntimeBuild) => addRelease(store.db, build, { older: false, by, now })
    expect(await added(first)).toMatchObject({ ok: true, value: { serial: 1, changed: true, signature: 'kept' } })
    const releases = await node(store)
    expect(await added(first)).toMatchObject({ ok: true, value: { serial: 1, changed: false, signature: 'kept' } })
    expect(await added(second)).toMatchObject({ ok: true, value: { serial: 2, changed: true, signature: 'replaced' } })
    expect((await releases.files())?.signature).toEqual(second.signature)
    expect(await adoptRelease(store.db, first, { by, now })).toMatchObject({ served: true })
    expect((await releases.files())?.signature).toEqual(second.signature)
  })

  test('the log names the served release at startup, and both releases at a change', async () => {
    const store = await open()
    await add(store, '1.0.0')
    const lines: Record<string, unknown>[] = []
    const log = pino({}, { write: (line: string) => lines.push(JSON.parse(line)) })
    const config = { releaseDir: '/nowhere', version: '9.9.9' }
    const releases = await openReleases({ store, log, now: Date.now, config })
    onTestFinished(releases.close)
    await add(store, '1.1.0')
    await releases.check()
    expect(lines).toMatchObject([
      { msg: 'serving runtime release', release: '1.0.0' },
      { msg: 'serving another runtime release', release: '1.1.0', previous: '1.0.0' },
    ])
  })

  test('the first signed build after an unsigned one is served at a start if its key may be known, and by a person anyway', async () => {
    const store = await open()
    const [mine, other] = [newKey(), newKey()]
    const unsigned = judgeBuild('svc.pyz', pyz('1.0.0', { keys: [other.line] }), undefined, undefined)
    if (!unsigned.ok) throw new Error(unsigned.message)
    expect(await adoptRelease(store.db, unsigned.value, { by, now })).toMatchObject({ served: true, remarks: [] })
    const found = await adopt(store, '1.1.0', { key: mine })
    expect(found).toMatchObject({ served: false, says: expect.stringMatching(/do not know the key that signed it/) })
    expect(await servedRelease(store.db)).toMatchObject({ version: '1.0.0', signed: false })
    expect(await add(store, '1.1.0', { key: mine })).toMatchObject({ ok: true, value: { signed: true } })
    expect(await adopt(store, '1.2.0', { key: mine })).toMatchObject({ served: true, remarks: [] })
  })

  test('a node that starts with an older build changes nothing; with a newer one it serves that', async () => {
    const store = await open()
    const key = newKey()
    await adopt(store, '1.0.0', { key })
    await adopt(store, '1.1.0', { key })
    expect(await adopt(store, '1.0.0', { key })).toMatchObject({ served: false, says: expect.any(String) })
    expect(await adopt(store, '1.2.0')).toMatchObject({ served: false, says: expect.stringMatching(/not signed/) })
    expect(await servedRelease(store.db)).toMatchObject({ version: '1.1.0', signed: true })
    await addRelease(store.db, buildOf('1.0.0', { key }), { older: true, by, now })
    expect(await adopt(store, '1.1.0', { key })).toMatchObject({ served: false })
    expect(await servedRelease(store.db)).toMatchObject({ version: '1.0.0' })
  })

  test('a development build with changed bytes replaces itself when no other node decides', async () => {
    const store = await open()
    await adopt(store, '1.0.0')
    const { served } = await adopt(store, '1.0.0', { salt: 'another day' })
    expect(served).toBe(store.engine === 'sqlite')
    expect(await listReleases(store.db)).toHaveLength(1)
    expect((await servedRelease(store.db))?.serial).toBe(store.engine === 'sqlite' ? 2 : 1)
    expect(await adopt(store, '1.0.0', { key: newKey() })).toMatchObject({ served: true })
  })

  test('files of five releases are kept', async () => {
    const store = await open()
    for (let n = 0; n < 7; n++) await add(store, `1.${n}.0`)
    const kept = store.db.selectFrom('release').select('version').where('file', 'is not', null).orderBy('serial')
    expect((await kept.execute()).map(({ version }) => version)).toEqual(['1.2.0', '1.3.0', '1.4.0', '1.5.0', '1.6.0'])
    expect(await listReleases(store.db)).toHaveLength(7)
  })

  test('releases that are added at the same time each get a different serial', async () => {
    const store = await open()
    const versions = Array.from({ length: 8 }, (_, n) => `1.0.${n}`)
    const added = await Promise.all(versions.map((version) => add(store, version, {}, true)))
    expect(added.every(({ ok }) => ok)).toBe(true)
    const serials = (await listReleases(store.db)).map(({ serial }) => serial)
    expect(serials).toEqual([8, 7, 6, 5, 4, 3, 2, 1])
  })

  test('all nodes on one database serve the release that one of them was given, at once for /cli/, soon in answers', async () => {
    const store = await open()
    const [one, two] = [await node(store, buildFolder(pyz('1.0.0'))), await node(store)]
    expect([one.served(), two.served()]).toMatchObject([{ version: '1.0.0' }, { version: '1.0.0' }])
    const key = newKey()
    const build = buildOf('1.1.0', { key })
    await addRelease(store.db, build, { older: false, by, now })
    for (const releases of [one, two])
      expect(await releases.files()).toMatchObject({
        file: build.bytes,
        sha256: build.sha256,
        signature: build.signature,
      })
    await add(store, '1.2.0')
    const served = () => [one.served()?.version, two.served()?.version]
    await eventually('both nodes serve the new release', () => expect(served()).toEqual(['1.2.0', '1.2.0']))
  })
})

test('a node goes on serving the last known release while the database does not answer', async () => {
  const { openTestSqlite } = await import('../../../testing/stores.ts')
  const store = await openTestSqlite()
  const releases = await node(store, buildFolder(pyz('1.0.0')))
  await store.close()
  expect(await releases.files()).toMatchObject({ version: '1.0.0' })
  expect(noReleases.served()).toBeUndefined()
})
