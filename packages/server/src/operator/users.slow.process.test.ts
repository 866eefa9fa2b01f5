/**
 * Tests a service that runs as a separate user, while another user types the commands: root, or a person, in any
 * folder. `npm test` leaves this out. packages/server/src/service/service.process.test.ts proves the same rules.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bundle } from '../../testing/bundles.ts'
import { newServiceHome, type ServiceHome } from '../../testing/service-process.ts'

const nobody = 65534
const program = join(import.meta.dirname, '../main.ts')
const canBeNobody =
  process.getuid?.() === 0 &&
  spawnSync(process.execPath, [program, '--version'], { uid: nobody, cwd: '/' }).status === 0

/** Makes a folder, ports and variables for a service that runs as the operating system's user `nobody`. */
async function homeOfNobody(): Promise<ServiceHome> {
  const home = await newServiceHome()
  chownSync(home.folder, nobody, nobody)
  home.uid = nobody
  return home
}

const owners = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => [name, lstatSync(join(folder, name)).uid])

test.runIf(canBeNobody)(
  'the service can read everything that root creates in its folder, even after a restore',
  async () => {
    const home = await homeOfNobody()
    await home.value(['workspace', 'create', 'north'])
    const root = home.as(0)
    await root.value(['workspace', 'create', 'south'])
    await root.value(['backup', 'monday.backup'])
    await root.value(['restore', 'monday.backup'])
    expect(owners(home.dataDir).filter(([, uid]) => uid !== nobody)).toEqual([])
    const service = await home.start()
    expect(await root.value(['workspace', 'list'])).toHaveLength(2)
    expect(await service.kill()).toBe(0)
  },
)

test.runIf(canBeNobody)(
  'a bundle is read by the person who uploads it; a backup is written by the user of the service, and the error says so',
  async () => {
    const home = await homeOfNobody()
    await home.value(['workspace', 'create', 'north'])
    const service = await home.start()
    const root = home.as(0)
    const own = join(home.folder, 'of-root')
    mkdirSync(own)
    chmodSync(own, 0o700)
    writeFileSync(join(own, 'mail.zip'), await bundle(), { mode: 0o600 })
    expect(await root.value(['blueprint', 'upload', 'north', 'of-root/mail.zip'])).toMatchObject({ version: '1.0.0' })
    const { code, stderr } = await root.run(['backup', 'of-root/monday.backup'])
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/monday\.backup cannot be written: .*\(EACCES\).*its own user/),
    ])
    await service.kill()
  },
)

test.runIf(canBeNobody).each(['stopped', 'running'] as const)(
  'another user gets a message about the owner of the folder, while the service is %s',
  async (state) => {
    const home = await newServiceHome()
    await home.value(['workspace', 'create', 'north'])
    chmodSync(home.folder, 0o755)
    if (state === 'running') await home.start()
    const { code, stderr } = await home.as(nobody).run(['workspace', 'list'])
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/not accessible to this user\. Run this as the user of the service/),
    ])
  },
)

test('a command in the wrong folder says that the data folder there is new; one in the right folder does not', async () => {
  const home = await newServiceHome()
  expect((await home.runProgram(['workspace', 'list'])).stderr).toContain(`The data folder ${home.dataDir} is new.`)
  expect((await home.runProgram(['workspace', 'list'])).stderr).toBe('')
})
