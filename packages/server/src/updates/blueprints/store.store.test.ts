import { createHash } from 'node:crypto'
import { readBundle } from '@svc/blueprint'
import { expect, test } from 'vitest'
import { level } from '../../../../../testing/level.ts'
import { hostile } from '../../../../blueprint/testing/hostile.ts'
import { mutatedBundle } from '../../../../blueprint/testing/mutate.ts'
import { bundle, uploaded } from '../../../testing/bundles.ts'
import { reporting } from '../../../testing/reporting.ts'
import { onEveryEngine } from '../../../testing/stores.ts'
import { addWorkspace, newTestWorkspace } from '../../../testing/test-workspace.ts'
import { revokeCode } from '../installs/codes.ts'
import { issueCodes } from '../installs/issue.ts'
import { blueprintPage, deleteVersion, findBundle, listBlueprints, versionPage } from './store.ts'
import { uploadBlueprint } from './upload.ts'

const long = level === 'long'

onEveryEngine('blueprints', (open, engine) => {
  const start = async () => {
    const w = await newTestWorkspace(await open())
    const { store, workspace, admin, clock } = w
    return {
      ...w,
      db: store.db,
      upload: async (made: Parameters<typeof bundle>[0]) =>
        uploadBlueprint({ db: store.db, by: admin, now: clock.now() }, workspace, await bundle(made)),
      remove: (name: string, version: string) =>
        deleteVersion({ db: store.db, by: admin, now: clock.now() }, workspace, { name, version }),
    }
  }

  test('an uploaded version is kept byte for byte, with the facts of its manifest and the person who uploaded it', async () => {
    const { db, workspace, admin, clock } = await start()
    const bytes = await uploaded({ db, by: admin, now: clock.now() }, workspace, {
      description: 'Sorts mail.',
      bindings: ['tasks:editor:tasks.read,tasks.write'],
      files: { 'docs/how.md': 'so' },
    })
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const kept = await findBundle(db, workspace, 'mail', '1.0.0')
    expect(Buffer.from(kept?.bundle ?? []).equals(Buffer.from(bytes))).toBe(true)
    expect(kept?.sha256).toBe(sha256)
    expect(await versionPage(db, workspace, { name: 'mail', version: '1.0.0' }, clock.now())).toEqual({
      now: clock.now(),
      blueprint: 'mail',
      version: '1.0.0',
      description: 'Sorts mail.',
      size: bytes.length,
      sha256,
      uploadedAt: clock.now(),
      uploadedBy: 'Ada',
      runtime: 'process',
      neededSvc: null,
      runs: [],
      keeps: [],
      wished: [],
      codes: 0,
      manifest: expect.objectContaining({
        name: 'mail',
        bindings: [{ product: 'tasks', role: 'editor', scopes: ['tasks.read', 'tasks.write'] }],
      }),
      files: [
        { path: 'docs/how.md', size: 2, executable: false },
        { path: 'main.py', size: 15, executable: false },
        { path: 'svc.agent.yaml', size: expect.any(Number), executable: false },
      ],
    })
    const entry = await db.selectFrom('audit').select(['action', 'actor', 'subject']).executeTakeFirst()
    expect(entry).toEqual({ action: 'blueprint.uploaded', actor: 'Ada', subject: 'blueprint mail@1.0.0' })
  })

  test('a version is never replaced, even by the same bytes, and no version of equal precedence can be added (D48)', async () => {
    const { upload } = await start()
    expect(await upload({ version: '1.0.0+one' })).toMatchObject({ ok: true })
    const again = await upload({ version: '1.0.0+one' })
    expect(again).toMatchObject({
      ok: false,
      code: 'version_taken',
      message: expect.stringContaining('the same bytes'),
    })
    const other = await upload({ version: '1.0.0+one', description: 'other' })
    expect(other).toMatchObject({ code: 'version_taken', message: expect.stringContaining('other content') })
    for (const version of ['1.0.0', '1.0.0+two']) {
      expect(await upload({ version })).toMatchObject({
        code: 'version_taken',
        message: expect.stringContaining('ranks'),
      })
    }
    for (const version of ['1.0.0-rc.1', '0.9.0', '1.0.1'])
      expect(await upload({ version })).toMatchObject({ ok: true })
  })

  test('only one of ten simultaneous uploads of one version is kept', async () => {
    const { db, workspace, admin, clock } = await start()
    const bytes = await bundle()
    const all = await Promise.all(
      Array.from({ length: 10 }, () => uploadBlueprint({ db, by: admin, now: clock.now() }, workspace, bytes)),
    )
    expect(all.filter(({ ok }) => ok)).toHaveLength(1)
    expect(await listBlueprints(db, workspace)).toMatchObject([{ name: 'mail', versions: 1 }])
  })

  test('every hostile bundle is refused at upload exactly as the machine would refuse it, and nothing is kept', async () => {
    const { db, workspace, admin, clock } = await start()
    // A judgement does not depend on the database engine. So in the short form of this test, the second engine gets
    // only a tenth of the bundles.
    const corpus = engine === 'SQLite' || long ? hostile : hostile.filter((_, i) => i % 10 === 0)
    for (const { what, bytes } of corpus) {
      const made = bytes()
      const read = await readBundle(made)
      expect([what, read.ok]).toEqual([what, false])
      expect(await uploadBlueprint({ db, by: admin, now: clock.now() }, workspace, made)).toEqual(read)
    }
    expect(await listBlueprints(db, workspace)).toEqual([])
    expect(await db.selectFrom('audit').select('id').execute()).toEqual([])
  }, 300_000)

  test('a damaged bundle is kept if and only if the machine would install it', async () => {
    const { db, workspace, admin, clock } = await start()
    for (let seed = 0; seed < (long ? 20_000 : 100); seed++) {
      const made = mutatedBundle(seed)
      const read = await readBundle(made)
      const upload = await uploadBlueprint({ db, by: admin, now: clock.now() }, workspace, made)
      const isKept = upload.ok || upload.code === 'version_taken'
      expect([seed, isKept]).toEqual([seed, read.ok])
      if (!read.ok) expect(upload).toEqual(read)
    }
  }, 600_000)

  test('the list names the highest version by precedence, not by text or time', async () => {
    const { db, workspace, upload, clock } = await start()
    for (const version of ['1.10.0', '1.9.0', '1.10.0-rc.1']) {
      clock.pass(60)
      await upload({ version, description: `says ${version}` })
    }
    await upload({ name: 'alpha' })
    expect(await listBlueprints(db, workspace)).toMatchObject([
      { name: 'alpha', latest: '1.0.0' },
      { name: 'mail', latest: '1.10.0', description: 'says 1.10.0', versions: 3, uploadedAt: clock.now() },
    ])
    const page = await blueprintPage(db, workspace, 'mail', clock.now())
    expect(page?.versions.map(({ version }) => version)).toEqual(['1.10.0', '1.10.0-rc.1', '1.9.0'])
  })

  test('a version that an agent runs, or keeps as its previous one, cannot be deleted', async () => {
    const w = await start()
    const { db, workspace, agent, clock, upload, remove } = w
    for (const version of ['1.0.0', '1.1.0', '1.2.0']) await upload({ version })
    await db
      .updateTable('agent')
      .set({ blueprint: 'mail', installed_version: '1.0.0' })
      .where('id', '=', agent.id)
      .execute()
    expect(await remove('mail', '1.0.0')).toMatchObject({ code: 'version_in_use' })
    const { report } = reporting(w)
    await report({ agent: { version: '1.0.0' } })
    await report({ agent: { version: '1.1.0' }, applied: { version: '1.1.0', outcome: 'ok', message: 'updated' } })
    for (const version of ['1.0.0', '1.1.0']) {
      expect(await remove('mail', version)).toMatchObject({
        code: 'version_in_use',
        message: expect.stringContaining('mail-triage'),
      })
    }
    const page = await blueprintPage(db, workspace, 'mail', clock.now())
    expect(page?.versions.map(({ version, runs, keeps }) => [version, runs, keeps])).toEqual([
      ['1.2.0', [], []],
      ['1.1.0', ['mail-triage'], []],
      ['1.0.0', [], ['mail-triage']],
    ])
    expect(page?.agents).toMatchObject([{ name: 'mail-triage', running: '1.1.0', previous: '1.0.0' }])
    expect(await remove('mail', '1.2.0')).toEqual({ ok: true, value: null })
    await report({ agent: { version: '1.3.0' }, applied: { version: '1.3.0', outcome: 'ok', message: 'updated' } })
    expect(await remove('mail', '1.0.0')).toEqual({ ok: true, value: null })
  })

  test('a version with a valid install code stays until the code is revoked or expired; the blueprint goes with its last version', async () => {
    const { db, workspace, admin, clock, upload, remove } = await start()
    await upload({})
    const wanted = { blueprint: 'mail', version: '1.0.0' }
    const issued = await issueCodes({ db, by: admin, now: clock.now() }, workspace, wanted)
    expect(await remove('mail', '1.0.0')).toMatchObject({ code: 'version_in_use' })
    if (issued.ok) await revokeCode({ db, by: admin, now: clock.now() }, workspace, issued.value[0].row.id)
    await issueCodes({ db, by: admin, now: clock.now() }, workspace, wanted)
    expect(await remove('mail', '1.0.0')).toMatchObject({ code: 'version_in_use' })
    clock.pass(900)
    expect(await remove('mail', '1.0.0')).toEqual({ ok: true, value: null })
    expect(await listBlueprints(db, workspace)).toEqual([])
    expect(await blueprintPage(db, workspace, 'mail', clock.now())).toBeUndefined()
    expect(await remove('mail', '1.0.0')).toMatchObject({ code: 'version_unknown' })
    expect(await upload({})).toMatchObject({ ok: true })
  })

  test('another workspace has separate blueprints and sees none of these', async () => {
    const { db, store, upload, clock, admin } = await start()
    await upload({})
    const south = await addWorkspace(store, 'south', true, clock.now())
    expect(await listBlueprints(db, south)).toEqual([])
    expect(await findBundle(db, south, 'mail', '1.0.0')).toBeUndefined()
    expect(
      await issueCodes({ db, by: admin, now: clock.now() }, south, { blueprint: 'mail', version: '1.0.0' }),
    ).toMatchObject({
      code: 'version_unknown',
    })
    expect(await uploadBlueprint({ db, by: admin, now: clock.now() }, south, await bundle())).toMatchObject({
      ok: true,
    })
  })
})
