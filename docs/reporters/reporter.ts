/**
 * A reporter in one file: Node 24, no dependency.
 *
 *     SVC_URL=https://svc.example SVC_TOKEN=svc_agt_… node reporter.ts FOLDER
 *
 * It runs as a process beside the agent and shares only files in FOLDER with it: status.json (written by the agent,
 * section 2.11), the empty files paused and run_now, settings.json ({schema, values}) and logs/NAME.log. The reporter
 * keeps its own notes in reporter.json.
 */
import { randomUUID } from 'node:crypto'
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

type Json = Record<string, unknown>
interface Ack {
  id: string
  ok: boolean
  message: string
}
interface Notes {
  seen: Record<string, { type: string; at: number; ack: Ack | 'uploaded' | null }>
  outbox: string[]
}
interface Setting {
  key: string
  type: string
  min?: number
  max?: number
  options?: { value: unknown }[]
}

const url = process.env.SVC_URL?.replace(/\/$/, '') ?? stop('SVC_URL is not set')
const token = process.env.SVC_TOKEN ?? stop('SVC_TOKEN is not set')
const folder = process.argv[2] ?? stop('usage: reporter.ts FOLDER')
// a factor for all waits and timeouts except the shortest wait between two reports; drills and tests set it
const scale = Number(process.env.SVC_TIME_SCALE ?? 1)
const second = 1000 * scale
// the shortest wait between two reports in milliseconds: the service accepts 60 reports a minute (SVC_TIME_FLOOR=0: no
// wait)
const minWait = 1100 * Number(process.env.SVC_TIME_FLOOR ?? 1)
const logBytes = 512 * 1024
const boot = randomUUID()

const notes = readNotes()
let interval = 30

async function main(): Promise<never> {
  await sleep(Math.random() * 5 * second)
  for (let seq = 1; ; seq++) {
    try {
      await reportOnce(seq)
    } catch (error) {
      console.error(`report ${seq} failed: ${error}`) // on any error: log it, wait, report again (rule 2)
    }
    await sleep(Math.max(minWait, interval * (0.85 + Math.random() * 0.3) * second))
  }
}

async function reportOnce(seq: number): Promise<void> {
  const sent = owed()
  const acks = sent.map((id) => notes.seen[id]?.ack)
  const answer = object(JSON.parse(await post('report', fitted({ ...report(), acks, boot, seq }))))
  if (!Array.isArray(answer?.commands)) throw new Error('the answer holds no list of commands')
  notes.outbox = notes.outbox.slice(sent.length) // an ack is sent until a report that carried it is answered (D17)
  saveNotes()
  if (Number.isFinite(answer.interval)) interval = Math.min(300, Math.max(5, answer.interval as number))
  for (const command of answer.commands) await obey(object(command) ?? {})
}

/** The ids of the oldest acks, as many as fit into one report. The other acks go with later reports. */
function owed(): string[] {
  let [count, bytes] = [0, 0]
  for (const id of notes.outbox.slice(0, 100)) {
    bytes += Buffer.byteLength(JSON.stringify(notes.seen[id]?.ack))
    if (bytes > 64 * 1024) break
    count++
  }
  return notes.outbox.slice(0, count)
}

// --- the report: a copy of what the agent says about itself

function report(): Json {
  const status = object(readJson('status.json')) ?? { state: { level: 'warn', label: 'No status' } }
  const { state, health, active, gauges, runs, panels, agent } = status
  const paused = existsSync(path('paused'))
  return {
    protocol: 1,
    agent: { version: object(agent)?.version, host: hostname() },
    state: paused ? { level: 'info', label: 'Paused' } : state,
    // the time at which the agent last wrote its status file: it shows that an agent no longer writes it (D65)
    status_at: paused ? undefined : writtenAt('status.json'),
    health,
    active,
    gauges,
    runs,
    panels,
    settings: object(readJson('settings.json')),
    controls: ['pause', 'resume', 'run_now'],
  }
}

/**
 * Shrinks a report, since one above 256 KB would always be refused (D19). Panels go first, then runs, then other parts.
 */
function fitted(body: Json): Json {
  for (const part of ['panels', 'runs', 'active', 'gauges', 'health', 'settings']) {
    if (Buffer.byteLength(JSON.stringify(body)) <= 250 * 1024) break
    body = { ...body, [part]: undefined }
  }
  return body
}

// --- commands: each is checked, applied or refused once, and answered

async function obey({ id, type: said, payload }: Json): Promise<void> {
  if (typeof id !== 'string' || id === '') return // a command without an id cannot be answered
  const type = typeof said === 'string' ? said : ''
  let known = Object.hasOwn(notes.seen, id) ? notes.seen[id] : undefined
  if (!known) {
    known = notes.seen[id] = { type, at: Date.now(), ack: null }
    saveNotes() // the id is on disk before the command is applied, so a kill cannot make it run twice (D4)
    const done = await apply(id, type, object(payload) ?? {}).catch((error: unknown) => no(String(error)))
    known.ack = done === 'uploaded' ? done : { id, ok: done.ok, message: done.message.slice(0, 300) }
  }
  // a command that arrives again gets the same ack again
  if (known.ack !== 'uploaded' && !notes.outbox.includes(id)) notes.outbox.push(id)
  saveNotes()
}

function yes(message: string) {
  return { ok: true, message }
}

function no(message: string) {
  return { ok: false, message }
}

async function apply(id: string, type: string, payload: Json) {
  switch (type) {
    case 'pause':
      write('paused', '')
      return yes('paused')
    case 'resume':
      rmSync(path('paused'), { force: true })
      syncFolder()
      return yes('resumed')
    case 'run_now':
      if (existsSync(path('paused'))) return no('The agent is paused.')
      write('run_now', '')
      return yes('asked to run now')
    case 'set':
      return change(payload)
    case 'log':
      return sendLog(id, payload.name)
    default:
      return no(`This agent does not know "${type.slice(0, 40)}".`)
  }
}

/**
 * Changes all settings or none: every key must name a setting, and every value must have its type and be in its range.
 */
function change(wanted: Json) {
  const settings = object(readJson('settings.json')) ?? {}
  const schema = (Array.isArray(settings.schema) ? settings.schema : []) as Setting[]
  if (Object.keys(wanted).length === 0) return no('There is nothing to set.')
  for (const [key, value] of Object.entries(wanted)) {
    const setting = schema.find((s) => s.key === key)
    if (!setting) return no(`There is no setting ${JSON.stringify(key.slice(0, 40))}.`)
    if (!fits(setting, value)) return no(`${key} does not take ${JSON.stringify(value).slice(0, 100)}.`)
  }
  write('settings.json', JSON.stringify({ ...settings, values: { ...object(settings.values), ...wanted } }))
  return yes(`set ${Object.keys(wanted).join(', ')}`)
}

function fits({ type, min, max, options }: Setting, value: unknown): boolean {
  const between = (lowest: number, highest: number) =>
    typeof value === 'number' && Number.isFinite(value) && value >= (min ?? lowest) && value <= (max ?? highest)
  if (value === null) return true
  if (type === 'number') return between(-Infinity, Infinity)
  if (type === 'percent') return between(0, 100)
  if (type === 'datetime') return Number.isSafeInteger(value) && between(0, Infinity)
  if (type === 'bool') return typeof value === 'boolean'
  if (type === 'select') return options?.some((option) => option.value === value) ?? false
  return typeof value === 'string' && [...value].length <= 2000 && !/[^\t\n\P{Cc}]|\p{Cs}/u.test(value)
}

/** Sends a log of the agent: only a regular file in FOLDER/logs, only its end, and with the agent's token masked. */
async function sendLog(command: string, name: unknown) {
  const none = no('There is no such log.')
  if (typeof name !== 'string' || !/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,189}$/.test(name)) return none
  let fd: number
  try {
    fd = openSync(path('logs', `${name}.log`), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    return none
  }
  try {
    const { size } = fstatSync(fd)
    if (!fstatSync(fd).isFile()) return none
    const end = Buffer.alloc(Math.min(size, logBytes))
    const length = readSync(fd, end, 0, end.length, size - end.length)
    const masked = whole(end.subarray(0, length)).toString().replaceAll(token, '***')
    const text = whole(Buffer.from(masked).subarray(-logBytes)).toString()
    await post('log', { command, name, text })
    return 'uploaded'
  } finally {
    closeSync(fd)
  }
}

/** Removes the remaining bytes of a character whose first bytes were cut off. */
function whole(bytes: Buffer): Buffer {
  let from = 0
  while (((bytes[from] ?? 0) & 0xc0) === 0x80) from++
  return bytes.subarray(from)
}

// --- one HTTP request, limited in time and size, that follows no redirect

async function post(route: 'report' | 'log', body: Json): Promise<string> {
  const response = await fetch(`${url}/api/agent/v1/${route}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    redirect: 'manual', // no redirect is followed, so the token goes to no other address
    signal: AbortSignal.timeout(15 * second), // limits the whole request, including the body of the answer
  })
  let text = ''
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const part of response.body ?? []) {
    text += decoder.decode(part, { stream: true })
    if (text.length > 1024 * 1024) throw new Error('the answer is too large')
  }
  text += decoder.decode()
  if (!response.ok) throw new Error(`${response.status} ${text.slice(0, 200)}`)
  return text
}

// --- files

function path(...names: string[]): string {
  return join(folder, ...names)
}

function readJson(name: string): unknown {
  try {
    return JSON.parse(readFileSync(path(name), 'utf8'))
  } catch {
    return undefined
  }
}

/** The time at which a file was last written, in Unix seconds; undefined if there is no such file. */
function writtenAt(name: string): number | undefined {
  const file = statSync(path(name), { throwIfNoEntry: false })
  return file && Math.floor(file.mtimeMs / 1000)
}

function object(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined
}

/** Writes a file completely or not at all, and returns when the file is on disk. */
function write(name: string, content: string): void {
  const fd = openSync(path(`${name}.new`), 'w', 0o600)
  writeFileSync(fd, content)
  fsyncSync(fd)
  closeSync(fd)
  renameSync(path(`${name}.new`), path(name))
  syncFolder()
}

function syncFolder(): void {
  const fd = openSync(folder, 'r')
  fsyncSync(fd)
  closeSync(fd)
}

function readNotes(): Notes {
  const read = (readJson('reporter.json') ?? { seen: {}, outbox: [] }) as Notes
  for (const [id, entry] of Object.entries(read.seen)) {
    // An ack that is null: the reporter was killed while it applied the command. The command is not applied again, and
    // its ack says what is true now.
    if (entry.ack !== null) continue
    const holds = existsSync(path('paused')) ? entry.type === 'pause' : entry.type === 'resume'
    entry.ack = { id, ok: holds, message: holds ? 'done' : 'interrupted' }
    read.outbox.push(id)
  }
  return read
}

function saveNotes(): void {
  const oldest = Object.entries(notes.seen)
    .sort(([, a], [, b]) => a.at - b.at)
    .slice(0, -1000)
  for (const [id, { at }] of oldest) {
    if (at < Date.now() - 7 * 86_400_000 && !notes.outbox.includes(id)) delete notes.seen[id]
  }
  write('reporter.json', JSON.stringify(notes))
}

function stop(message: string): never {
  console.error(message)
  process.exit(2)
}

await main()
