/**
 * The loads of the measurement `hostile`: the worst that strangers, agents and admins can send to a service on this
 * machine. Each load is limited in number and time.
 */
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { readBundle } from '../../packages/blueprint/src/index.ts'
import { rawZip } from '../../packages/blueprint/testing/raw.ts'
import { manifestText } from '../../packages/server/testing/bundles.ts'
import { tokenOf } from '../common/fleet.ts'
import { workspace } from '../common/service.ts'

export type LoadName = 'spellings' | 'unread' | 'dense' | 'folders' | 'uploads' | 'sign-in'

export interface Target {
  load: LoadName
  port: number
  seconds: number
  /** The number of the first agent whose token the load uses. */
  agent: number
  people: string[]
  password: string
}

/** Prepares a load and returns the function that sends it. That function returns a description of what happened. */
type Load = (target: Target) => Promise<() => Promise<string>>
const loads: Readonly<Record<LoadName, Load>> = {
  spellings: sendSpellings,
  unread: leaveUnread,
  dense: sendDense,
  folders,
  uploads,
  'sign-in': signIns,
}

process.once('disconnect', () => process.exit(0))
process.once('message', (target: Target) => void serve(target))

/**
 * Runs one load in this process. If the load fails, this process exits with an error, which the measurement reports.
 */
async function serve(target: Target): Promise<void> {
  const send = await loads[target.load](target)
  const go = once(process, 'message')
  process.send?.('ready')
  await go
  process.send?.(await send())
}

/**
 * Requests one script file of the page under 5,000 different spellings of its path, and accepts only Brotli
 * compression.
 */
async function sendSpellings({ port }: Target): Promise<() => Promise<string>> {
  const [, folder = '', name = ''] = /^(\/assets)\/(.*)$/.exec(await assetOf(port)) ?? []
  const paths = Array.from({ length: 1250 }, (_, i) => {
    const slashes = '/'.repeat((i % 50) + 2)
    const dots = '/.'.repeat(Math.floor(i / 50) + 1)
    return [`${slashes}${dots}${folder}/${name}`, `${folder}${dots}${slashes}${name}`].concat(
      `${folder}%2f${dots}${slashes}${name}`,
      `${folder}${slashes}.${dots}/${name}`,
    )
  }).flat()
  return async () => {
    const statuses = await inTurns(paths, 16, (path, agent) =>
      ask({ port, path, agent, headers: { 'accept-encoding': 'br' } }),
    )
    return `Answered ${countsOf(statuses)}.`
  }
}

/** Sends 3,000 requests on each of 400 connections without reading any answer. */
async function leaveUnread({ port, seconds }: Target): Promise<() => Promise<string>> {
  const requests = `GET ${await assetOf(port)} HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`.repeat(3000)
  return async () => {
    let closed = 0
    for (let i = 0; i < 400; i++) {
      const socket = connect(port, '127.0.0.1').pause()
      socket.on('error', () => {}).on('close', () => closed++)
      socket.write(requests)
    }
    await sleep(seconds * 1000)
    return `${closed} of 400 were closed.`
  }
}

/**
 * In the first half of the time, one agent sends reports of about 250 KB that are full of new model names. Then 128
 * agents send one report of that size each, all at the same time.
 */
async function sendDense({ port, seconds, agent }: Target): Promise<() => Promise<string>> {
  const report = (token: number, body: string, connections?: Agent) => {
    const headers = { authorization: `Bearer ${tokenOf(token)}` }
    return ask({ port, path: '/api/agent/v1/report', headers, body, agent: connections })
  }
  const large = Array.from({ length: 128 }, (_, i) => denseReport(i % 2 ? 50 : 7, `m${i}`))
  return async () => {
    const statuses: number[] = []
    for (let i = 0; i < seconds / 2; i++) {
      statuses.push(await report(agent, denseReport(50, `d${i}`)))
      await sleep(1000)
    }
    statuses.push(...(await Promise.all(large.map((body, i) => report(agent + 1 + i, body)))))
    return `Answered ${countsOf(statuses)}.`
  }
}

/** A report of at most 250 KB. Each of its runs names `models` models that no other run of the report names. */
function denseReport(models: number, prefix: string): string {
  const runs: string[] = []
  const started = Math.floor(Date.now() / 1000)
  for (let size = 0, i = 0; size < 249_000 && runs.length < 2000; i++) {
    const names = Array.from({ length: models }, (_, m) => `"${prefix}${(i * models + m).toString(36)}":1`)
    const run = `{"id":"${prefix}-${i}","started":${started - i},"models":{${names.join(',')}}}`
    size += run.length + 1
    if (size < 249_000) runs.push(run)
  }
  return `{"protocol":1,"runs":[${runs.join(',')}]}`
}

/**
 * Uploads a bundle with the maximum number of folders and a bundle with many more. The service must accept or refuse
 * each of them as `svc check` does.
 */
async function folders(target: Target): Promise<() => Promise<string>> {
  const [cookie = ''] = await cookiesOf(target)
  const [permitted, refused] = [findBundle(4990, 1), findBundle(4990, 63)]
  const good = await Promise.all([permitted, refused].map(async (bytes) => (await readBundle(bytes)).ok))
  return async () => {
    const statuses: number[] = []
    for (const bytes of [permitted, refused]) statuses.push(await upload(target, cookie, bytes))
    const same = statuses.every((status, i) => status < 300 === good[i])
    return `Answered ${countsOf(statuses)}, ${same ? 'the same' : '**ANOTHER**'} verdict as on the machine.`
  }
}

/** A bundle of `files` empty files. Each file is nested in `depth` folders that contain no other file. */
function findBundle(files: number, depth: number): Buffer {
  const names = Array.from(
    { length: files },
    (_, i) => `${Array.from({ length: depth }, (_, d) => `${i.toString(36)}-${d}`).join('/')}/f`,
  )
  const content = manifestText({ name: `folders-${depth}` })
  return rawZip([
    { name: 'svc.agent.yaml', content },
    { name: 'main.py', content: '' },
    ...names.map((name) => ({ name })),
  ])
}

/** Starts 60 uploads of 20 MB, and sends everything except the last byte of each. */
async function uploads(target: Target): Promise<() => Promise<string>> {
  const { port, seconds } = target
  const cookies = await cookiesOf(target)
  const size = 20 * 1024 * 1024
  return async () => {
    const answered: string[] = []
    const sockets = Array.from({ length: 60 }, (_, i) => {
      const socket = connect(port, '127.0.0.1').on('error', () => {})
      socket.on('data', (chunk) => answered.push(/^HTTP\/1\.1 (\d+)/.exec(chunk.toString('latin1'))?.[1] ?? 'more'))
      const headers = `Cookie: ${cookies[i % cookies.length]}\r\nOrigin: http://localhost:${port}\r\nContent-Type: application/zip\r\n`
      socket.write(
        `POST ${uploadPath} HTTP/1.1\r\nHost: localhost:${port}\r\n${headers}Content-Length: ${size}\r\n\r\n`,
      )
      return socket
    })
    await Promise.all(sockets.map((socket) => allBut(socket, size - 1, seconds * 1000)))
    await sleep((seconds * 1000) / 2)
    const open = sockets.filter(({ destroyed }) => !destroyed).length
    return `${open} of 60 were open at the end; answered ${countsOf(answered.map(Number))}.`
  }
}

/** Sends this many bytes on a connection, as fast as the server accepts them, for at most `patience` milliseconds. */
async function allBut(socket: Socket, bytes: number, patience: number): Promise<void> {
  const piece = Buffer.alloc(256 * 1024)
  const until = performance.now() + patience
  for (let left = bytes; left > 0 && !socket.destroyed && performance.now() < until; ) {
    const part = piece.subarray(0, Math.min(left, piece.length))
    left -= part.length
    if (!socket.write(part)) await Promise.race([new Promise((done) => socket.once('drain', done)), sleep(1000)])
  }
}

/**
 * Tries 300 times at once to sign in to an existing account with a wrong password, from 15 addresses of this machine.
 */
async function signIns({ port, seconds }: Target): Promise<() => Promise<string>> {
  const body = JSON.stringify({ email: 'person-0@example.org', password: 'not the right one' })
  const headers = { origin: `http://localhost:${port}`, 'content-type': 'application/json' }
  return async () => {
    const tries = Array.from({ length: 300 }, (_, i) =>
      ask({ port, path: '/api/auth/sign-in/email', headers, body, from: `127.0.1.${1 + (i % 15)}` }),
    )
    const statuses = await Promise.all(tries)
    await sleep((seconds * 1000) / 2)
    return `Answered ${countsOf(statuses)}.`
  }
}

interface RequestOptions {
  port: number
  path: string
  headers: Record<string, string>
  body?: string | Buffer
  agent?: Agent | undefined
  /** The local address from which the request is sent. */
  from?: string
}

/** Sends a request and returns the HTTP status; 0 if there was no answer. */
function ask({ port, path, headers, body, agent, from }: RequestOptions): Promise<number> {
  return new Promise((resolve) => {
    const asked = request(
      {
        port,
        host: '127.0.0.1',
        path,
        method: body === undefined ? 'GET' : 'POST',
        agent: agent ?? false,
        ...(from && { localAddress: from }),
        headers: { host: `localhost:${port}`, ...headers, ...(body && { 'content-length': Buffer.byteLength(body) }) },
      },
      (res) => res.resume().on('end', () => resolve(res.statusCode ?? 0)),
    )
    asked.on('error', () => resolve(0)).end(body)
  })
}

async function inTurns<T>(
  all: readonly T[],
  clients: number,
  act: (one: T, agent: Agent) => Promise<number>,
): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const waiting = [...all]
  const statuses: number[] = []
  const client = async () => {
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) statuses.push(await act(one, agent))
  }
  await Promise.all(Array.from({ length: clients }, client))
  agent.destroy()
  return statuses
}

const uploadPath = `/api/web/w/${workspace}/blueprints`

function upload({ port }: Target, cookie: string, body: Buffer): Promise<number> {
  const headers = { cookie, origin: `http://localhost:${port}`, 'content-type': 'application/zip' }
  return ask({ port, path: uploadPath, headers, body })
}

function cookiesOf({ port, people, password }: Target): Promise<string[]> {
  return Promise.all(
    people.map(async (email) => {
      const origin = `http://localhost:${port}`
      const headers = { origin, 'content-type': 'application/json' }
      const body = JSON.stringify({ email, password })
      const answer = await fetch(`${origin}/api/auth/sign-in/email`, { method: 'POST', headers, body })
      if (!answer.ok) throw new Error(`Signing in answered ${answer.status}.`)
      return answer.headers
        .getSetCookie()
        .map((one) => one.split(';')[0])
        .join('; ')
    }),
  )
}

/** The path of the first script file that the built page loads. */
async function assetOf(port: number): Promise<string> {
  const page = await (await fetch(`http://localhost:${port}/`)).text()
  const path = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1]
  if (path === undefined) throw new Error('The page is not built: npm run build.')
  return path
}

/** Counts equal statuses, and formats them such as `200 × 5000`. */
function countsOf(statuses: readonly number[]): string {
  const counts = new Map<number, number>()
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1)
  const texts = [...counts].map(([status, n]) => `${status === 0 ? 'none' : status} × ${n}`)
  return texts.length === 0 ? 'nothing' : texts.join(', ')
}
