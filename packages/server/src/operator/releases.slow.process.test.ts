/**
 * Tests the operator's commands for releases, and the release folder at the start of the service. `npm test` leaves
 * this out. packages/server/src/updates/releases/releases.store.test.ts proves the same rules.
 */
import { expect, test } from 'vitest'
import { buildFolder, newKey, pyz, signed } from '../../testing/releases.ts'
import { newServiceHome, type ServiceHome } from '../../testing/service-process.ts'

const versions = async (home: ServiceHome) =>
  (await home.value<{ version: string; served: boolean }[]>(['release', 'list'])).map(
    ({ version, served }) => `${version}${served ? ' served' : ''}`,
  )

test('a release is added, listed and replaced, and an older one is accepted only with `--older`', async () => {
  const home = await newServiceHome({ SVC_RELEASE_DIR: '/nowhere' })
  await home.start()
  expect(await home.value(['release', 'list'])).toEqual([])
  const key = newKey()
  const bytes = pyz('1.1.0', { keys: [key.line] })
  const folder = buildFolder(bytes, signed(bytes, key))
  expect(await home.value(['release', 'add', folder])).toMatchObject({
    version: '1.1.0',
    serial: 1,
    signed: true,
    changed: true,
    bytes: bytes.length,
    addedBy: 'operator',
    remarks: [],
  })
  const answer = await fetch(`${home.url}/cli/svc.pyz`)
  expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true)
  const another = newKey()
  const foreign = pyz('1.2.0', { keys: [another.line] })
  expect(await home.value(['release', 'add', buildFolder(foreign, signed(foreign, another))])).toMatchObject({
    remarks: [expect.stringMatching(/Runtimes of release 1.1.0 do not know the key/)],
  })
  const old = buildFolder(pyz('1.0.0'))
  const refused = await home.run(['release', 'add', old])
  expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/older than 1.2.0.*--older/s) })
  expect(await home.run(['release', 'add', old, '--older'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Now served: 1.0.0 .*\nIt is not signed/),
  })
  expect(await versions(home)).toEqual(['1.0.0 served', '1.2.0', '1.1.0'])
  const other = buildFolder(pyz('1.1.0', { salt: 'changed' }))
  expect(await home.run(['release', 'add', other])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/a new version/),
  })
  expect(await home.run(['release', 'add', '/nowhere'])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/no svc.pyz in \/nowhere/),
  })
  expect((await fetch(`${home.url}/cli/svc.pyz.sig`)).status).toBe(404)
})

test('a starting service serves the build in its release folder if that is newer, and not if it is older', async () => {
  const [old, young] = [buildFolder(pyz('1.0.0')), buildFolder(pyz('1.1.0'))]
  const home = await newServiceHome({ SVC_RELEASE_DIR: young })
  await (await home.start()).kill()
  home.env.SVC_RELEASE_DIR = old
  const service = await home.start()
  await service.logs('the build in the release folder is not served')
  expect((await (await fetch(`${home.url}/cli/svc.pyz`)).text()).includes('"1.1.0"')).toBe(true)
  expect(await versions(home)).toEqual(['1.1.0 served'])
})
