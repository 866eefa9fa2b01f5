/**
 * Helpers for tests of the example product `tasks`: the real service, the product, and bots whose tokens come from a
 * real installation.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packFolder } from '@svc/blueprint'
import { onTestFinished } from 'vitest'
import { newServiceHome, type ServiceHome, type ServiceProcess } from '../packages/server/testing/service-process.ts'
import { freePort } from '../testing/free-port.ts'
import { within } from '../testing/within.ts'

export interface Binding {
  url: string
  workspace: string
  token: string
}

/** The example product `tasks` as a process, started as its README says. */
export class Product {
  readonly folder: string
  readonly env: Record<string, string>
  origin = ''
  said = ''
  #child: ChildProcess | undefined

  constructor(env: Record<string, string>) {
    this.folder = mkdtempSync(join(tmpdir(), 'svc-product-'))
    this.env = { PATH: process.env.PATH ?? '', TASKS_PORT: '0', ...env }
    onTestFinished(async () => {
      await this.kill()
      rmSync(this.folder, { recursive: true, force: true })
    })
  }

  /** Starts the product, and waits until it accepts connections. */
  async start(): Promise<this> {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'product/main.mts')], {
      cwd: this.folder,
      env: this.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child = child
    this.said = ''
    for (const out of [child.stdout, child.stderr]) out.on('data', (text) => (this.said += text))
    const ended = once(child, 'close').then(([code]) => Promise.reject(new Error(`ended with ${code}: ${this.said}`)))
    ended.catch(() => {})
    const found = () => /is at (\S+)/.exec(this.said)?.[1]
    const where = () => `the address of the product, which said:\n${this.said}`
    while (!found()) await within(where, Promise.race([once(child.stdout, 'data'), ended]))
    this.origin = found() ?? ''
    return this
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<number | null> {
    const child = this.#child
    if (child?.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null
    const exit = once(child, 'exit')
    child.kill(signal)
    return (await exit)[0]
  }
}

export class ProductSetup {
  readonly home: ServiceHome
  readonly service: ServiceProcess
  readonly secret: string
  readonly origin: string

  constructor(home: ServiceHome, service: ServiceProcess, { secret, origin }: { secret: string; origin: string }) {
    this.home = home
    this.service = service
    this.secret = secret
    this.origin = origin
  }

  /**
   * Starts the product `tasks`. Its secret is in a file that only the file's owner can read, unless `env` says
   * otherwise.
   */
  async product(env: Record<string, string> = {}): Promise<Product> {
    const file = join(this.home.folder, 'tasks.secret')
    writeFileSync(file, `${this.secret}\n`)
    chmodSync(file, 0o600)
    const usual = { SVC_URL: this.home.url, TASKS_SECRET_FILE: file, TASKS_PORT: new URL(this.origin).port }
    return new Product({ ...usual, ...env }).start()
  }

  /**
   * Installs an agent that has a binding to the product `tasks`: uploads a blueprint to the service, issues an install
   * code and redeems it. Returns the binding (the product's address, workspace and token) from the service's answer.
   */
  async installs(
    name: string,
    { role = 'editor', scopes = ['tasks.read', 'tasks.write'], workspace = 'north' } = {},
  ): Promise<Binding> {
    const folder = join(this.home.folder, `${workspace}-${name}`)
    const bundle = await packed(folder, name, `{ product: tasks, role: ${role}, scopes: [${scopes.join(', ')}] }`)
    await this.home.value(['blueprint', 'upload', workspace, bundle])
    const { code } = await this.home.value<{ code: string }>(['code', 'issue', workspace, `${name}@1.0.0`])
    const answer = await fetch(`${this.home.url}/api/agent/v1/install`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code }),
    })
    const { env } = (await answer.json()) as { env: Record<string, string> }
    const of = (part: string) => env[`SVC_BINDING_TASKS_${part}`] ?? ''
    return { url: of('URL'), workspace: of('WORKSPACE'), token: of('TOKEN') }
  }

  async activates(workspace: string): Promise<void> {
    await this.home.value(['workspace', 'create', workspace])
    for (const product of ['svc', 'tasks']) await this.home.value(['workspace', 'activate', workspace, product])
  }
}

/** Starts a service that knows the product `tasks` and has activated it for the workspace `north`. */
export async function newProductSetup(): Promise<ProductSetup> {
  const home = await newServiceHome()
  const service = await home.start()
  const origin = `http://localhost:${await freePort()}`
  const { secret } = await home.value<{ secret: string }>(['product', 'add', 'tasks', '--origin', origin])
  const setup = new ProductSetup(home, service, { secret, origin })
  await setup.activates('north')
  return setup
}

async function packed(folder: string, name: string, binding: string): Promise<string> {
  const source = mkdtempSync(`${folder}-`)
  const manifest = `name: ${name}\nversion: 1.0.0\nruntime: { kind: process, command: [sleep, '1000'] }\nbindings: [${binding}]\n`
  writeFileSync(join(source, 'svc.agent.yaml'), manifest)
  const bundle = await packFolder(source)
  if (!bundle.ok) throw new Error(JSON.stringify(bundle.findings))
  writeFileSync(`${folder}.zip`, bundle.value.bytes)
  return `${folder}.zip`
}

/** Calls the product's API as a bot does. */
export async function call(
  { url, workspace, token }: Binding,
  method = 'GET',
  path = '',
  body?: unknown,
): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(`${url}/api/v1/workspaces/${workspace}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return { status: answer.status, body: await answer.json() }
}
