/**
 * Runs the package of the service, as `npm run release -- --service` makes it, beside this checkout and after it: as
 * two nodes of one service, and on one data folder. `npm test` leaves this out. It needs a build of several seconds, so
 * only `npm run test:long` runs it.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { streamOf } from '../packages/server/testing/page/stream.ts'
import { newServiceHome, populate, report, type ServiceHome } from '../packages/server/testing/service-process.ts'
import { newPostgresDatabase } from '../packages/server/testing/stores.ts'
import { eventually } from '../testing/eventually.ts'
import { level } from '../testing/level.ts'
import { sources } from '../testing/sources.ts'
import { build } from './build.ts'

const root = join(import.meta.dirname, '..')
const out = mkdtempSync(join(tmpdir(), 'svc-beside-'))
const ofPackage = join(out, 'package/bin/svc-server.js')

const ofCheckout = join(root, 'dist/cli')
let before: ReturnType<typeof filesOf>
/** The files of a folder, each with the time of its last change. */
const filesOf = (folder: string) =>
  readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mtimeMs] as const)

const isLong = level === 'long'
beforeAll(async () => {
  if (!isLong) return
  await build({ quiet: true })
  before = filesOf(ofCheckout)
  const options = ['--service', '--out', out]
  execFileSync(process.execPath, [join(root, 'scripts/release.ts'), ...options], { cwd: out, stdio: 'ignore' })
  const [file = ''] = readdirSync(out).filter((name) => name.endsWith('.tgz'))
  execFileSync('tar', ['-xzf', join(out, file), '-C', out])
}, 120_000)
afterAll(() => rmSync(out, { recursive: true, force: true }))

const sha256OfFile = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')

test.runIf(isLong)('svc.pyz of the package, of its release and of the checkout are the same bytes', () => {
  const sums = [out, join(out, 'package/program/cli'), ofCheckout].map((at) => sha256OfFile(join(at, 'svc.pyz')))
  expect(new Set(sums).size).toBe(1)
})

test.runIf(isLong)('a release of the package leaves the files that the checkout serves as they are', () => {
  expect(before.map(([name]) => name)).toContain('svc.pyz')
  expect(filesOf(ofCheckout)).toEqual(before)
})

/** A node of the given program. All nodes of this database have the same secret. */
async function node(url: string, program: string): Promise<ServiceHome> {
  const home = Object.assign(await newServiceHome({ SVC_DATABASE_URL: url }), { program })
  mkdirSync(home.dataDir)
  writeFileSync(join(home.dataDir, 'secret'), 'the same secret on every one of the nodes')
  return home
}

/** Signs a person in, and returns the cookies of the session. */
async function signIn({ url }: ServiceHome, email: string, password: string): Promise<string> {
  const answer = await fetch(`${url}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ email, password }),
  })
  expect(answer.status).toBe(200)
  return answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
}

test.runIf(isLong)('a checkout and a package are nodes of one service', async () => {
  const url = await newPostgresDatabase({ empty: true })
  const nodes = [await node(url, sources.server), await node(url, ofPackage)] as const
  const services = [await nodes[0].start(), await nodes[1].start()]
  const { token, email, password } = await populate(nodes[0])
  const sha256 = sha256OfFile(join(ofCheckout, 'svc.pyz'))

  for (const home of nodes) {
    const served = new Uint8Array(await (await fetch(`${home.url}/cli/svc.pyz`)).arrayBuffer())
    expect(createHash('sha256').update(served).digest('hex')).toBe(sha256)
    expect(await (await fetch(`${home.url}/cli/svc.pyz.sha256`)).text()).toContain(sha256)
  }

  for (const [watched, reporting] of [nodes, nodes.toReversed() as [ServiceHome, ServiceHome]]) {
    const label = `from ${reporting.url}`
    const stream = await streamOf(`${watched.url}/api/web/w/north/events`, await signIn(watched, email, password))
    const arrives = async () => {
      expect((await report(reporting.url, token, { state: { level: 'ok', label } })).status).toBe(200)
      expect(stream.text()).toContain(label)
    }
    await eventually('a report to one node is on the page of the other', arrives, { everyMs: 1500 })
    stream.close()
  }
  for (const service of services) {
    expect(await service.kill()).toBe(0)
    expect(service.log).not.toContain('"level":"error"')
  }
})

test.runIf(isLong)('a data folder goes from the checkout to the package and back', async () => {
  const home = Object.assign(await newServiceHome(), { program: sources.server })
  const first = await home.start()
  const { token } = await populate(home)
  await first.kill()
  for (const program of [ofPackage, sources.server]) {
    home.program = program
    const service = await home.start()
    expect((await report(home.url, token, { state: { level: 'ok', label: program } })).status).toBe(200)
    expect(await home.value(['agent', 'show', 'north/mail'])).toMatchObject({ report: { state: { label: program } } })
    expect(await service.kill()).toBe(0)
  }
})
