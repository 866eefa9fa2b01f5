/**
 * `npm run dev` runs the service and the page from their sources. Vite serves the page and passes all other requests on
 * to the service. The base address of the service is that of Vite, so links, cookies and the check of the origin work
 * as in an installation. A change to the page is shown at once, and a change to the service restarts it. Ctrl-C ends
 * both.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createServer, type ViteDevServer } from 'vite'
import { freePort } from '../testing/free-port.ts'
import { build } from './build.ts'

const root = join(import.meta.dirname, '..')
const usage = `npm run dev -- [options]
  --port N     the address becomes http://localhost:N; 5173 by default
  --data DIR   where the data is kept; .cache/dev by default`
/** The beginnings of the paths for which Vite passes requests on to the service. */
const ofService = ['/api', '/cli', '/help', '/.well-known', '/notices.txt']
const host = '127.0.0.1'

const { port, folder } = readOptions()
const url = `http://localhost:${port}`
const ending = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => ending.abort())

await build({ page: false })
const servicePort = await freePort()
const page = await servePage()
const service = startService()
await Promise.race([answers(servicePort), once(ending.signal, 'abort')])
if (!ending.signal.aborted) {
  console.log(`svc: ${url} shows the page from its sources. The data is in ${folder}. Ctrl-C ends both.`)
  await once(ending.signal, 'abort')
}
await Promise.all([end(service), page.close()])
process.exit(0)

function readOptions(): { port: number; folder: string } {
  try {
    const { values } = parseArgs({
      options: {
        port: { type: 'string', default: '5173' },
        data: { type: 'string', default: join(root, '.cache/dev') },
      },
    })
    const port = Number(values.port)
    if (/^\d{1,5}$/.test(values.port) && port > 0 && port < 65536) return { port, folder: resolve(values.data) }
    console.error(`--port must be a port from 1 to 65535: got ${values.port}\n\n${usage}`)
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`)
  }
  process.exit(2)
}

async function servePage(): Promise<ViteDevServer> {
  const target = `http://${host}:${servicePort}`
  const server = await createServer({
    root: join(root, 'packages/dashboard'),
    clearScreen: false,
    server: { host, port, strictPort: true, proxy: Object.fromEntries(ofService.map((path) => [path, { target }])) },
  })
  try {
    return await server.listen()
  } catch (error) {
    console.error(
      `${error instanceof Error ? error.message : error}. Stop what listens there, or choose another port: npm run dev -- --port N`,
    )
    process.exit(1)
  }
}

/**
 * Starts the service with a working folder and a data folder that only `npm run dev` uses. So it uses neither the data
 * nor the `.env` file of an installation in this checkout.
 */
function startService(): ChildProcess {
  mkdirSync(folder, { recursive: true })
  const { SVC_DATABASE_URL: _, ...env } = process.env
  const args = ['--watch', '--watch-preserve-output', '--disable-warning=ExperimentalWarning']
  const child = spawn(process.execPath, [...args, join(root, 'packages/server/src/main.ts'), 'start'], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...env,
      SVC_BASE_URL: url,
      SVC_HOST: host,
      SVC_PORT: String(servicePort),
      SVC_METRICS_PORT: '0',
      SVC_DATA_DIR: join(folder, 'data'),
    },
  })
  child.once('exit', () => ending.abort())
  return child
}

async function answers(port: number): Promise<void> {
  while (!ending.signal.aborted) {
    const socket = connect(port, host)
    const open = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (open) return
    await sleep(100)
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}
