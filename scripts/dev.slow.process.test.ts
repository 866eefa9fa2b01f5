/**
 * Tests `npm run dev` by changing a text of the page, as a developer does. `npm test` leaves this out. `npm run dev`
 * is not a part of the product.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { streamOf } from '../packages/server/testing/page/stream.ts'
import { freePort } from '../testing/free-port.ts'
import { within } from '../testing/within.ts'

const root = join(import.meta.dirname, '..')

class Dev {
  readonly url: string
  readonly child: ChildProcess
  said = ''
  constructor(port: number, data: string) {
    this.url = `http://localhost:${port}`
    const args = [join(root, 'scripts/dev.ts'), '--port', String(port), '--data', data]
    const env = { ...process.env, SVC_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/must-not-be-used' }
    this.child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.said += text
        this.child.emit('said')
      })
    this.child.once('exit', () => this.child.emit('said'))
    onTestFinished(() => void this.child.kill('SIGTERM'))
  }
  async hears(wanted: RegExp): Promise<string> {
    for (;;) {
      const found = wanted.exec(this.said)
      if (found) return found[1] ?? found[0]
      if (this.child.exitCode !== null) throw new Error(`It ended before it said ${wanted}: ${this.said}`)
      await within(() => `${wanted} from it, which said:\n${this.said}`, once(this.child, 'said'))
    }
  }
  async text(path: string): Promise<string> {
    const response = await fetch(this.url + path)
    return `${response.status} ${await response.text()}`
  }
  post = (path: string, body: object, origin = this.url) =>
    fetch(this.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin },
      body: JSON.stringify(body),
    })
  /** Opens the WebSocket over which Vite tells the browser which modules have changed. */
  reloads(): WebSocket {
    const token = /const wsToken = "([^"]+)"/.exec(this.client)?.[1]
    return new WebSocket(`${this.url.replace('http', 'ws')}/?token=${token}`, 'vite-hmr')
  }
  client = ''
}

test('npm run dev serves page and service at one address, shows a change at once, and ends completely', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-dev-'))
  // The folder of a module that this test changes. It is in the checkout, since Vite serves no other files, but not
  // among the sources, since other tests build the sources at the same time.
  const scratch = join(root, `.cache/dev-test-${process.pid}`)
  mkdirSync(scratch, { recursive: true })
  onTestFinished(() => {
    for (const each of [folder, scratch]) rmSync(each, { recursive: true, force: true })
  })
  const dev = new Dev(await freePort(), folder)
  await dev.hears(/svc: http:\S+ shows the page from its sources/)

  expect(await dev.text('/')).toMatch(/^200 [\s\S]*src="\/src\/main\.ts"/)
  expect(await dev.text('/src/main.ts')).toMatch(/^200 /)
  expect(await dev.text('/api/web/me')).toMatch(/^401 \{"error"/)

  const link = new URL(await dev.hears(/^ {2}(http:\S+\/start\?token=\S+)$/m))
  expect(link.origin).toBe(dev.url)
  const first = {
    token: link.searchParams.get('token'),
    name: 'Ada',
    email: 'ada@example.org',
    password: 'a long sentence of words',
    workspace: 'North',
    slug: 'north',
  }
  expect((await dev.post('/api/web/start', first, 'http://localhost:1')).status).toBe(403)
  const started = await dev.post('/api/web/start', first)
  expect(started.status).toBe(200)
  const cookie = started.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ')
  const stream = await streamOf(`${dev.url}/api/web/w/north/events`, cookie)
  const made = await fetch(`${dev.url}/api/web/w/north/agents`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: dev.url, cookie },
    body: JSON.stringify({ name: 'first' }),
  })
  expect(made.ok).toBe(true)
  await stream.frame()

  const module = join(scratch, 'words.ts')
  writeFileSync(module, 'export const title = "before"\n')
  expect(await dev.text(`/@fs${module}`)).toContain('before')
  dev.client = await dev.text('/@vite/client')
  const reloads = dev.reloads()
  await once(reloads, 'open')
  const notified = new Promise<void>((resolve) => {
    reloads.addEventListener('message', ({ data }) => String(data).includes('words.ts') && resolve())
  })
  writeFileSync(module, 'export const title = "after"\n')
  await notified
  expect(await dev.text(`/@fs${module}`)).toContain('after')
  reloads.close()
  stream.close()

  dev.child.kill('SIGINT')
  expect((await once(dev.child, 'exit'))[0]).toBe(0)
  expect(dev.said).toContain('stopped')
  await expect(fetch(dev.url)).rejects.toThrow()
})
