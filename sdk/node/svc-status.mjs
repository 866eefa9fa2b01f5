/**
 * Shows a program on the page of svc. Two lines are enough:
 *
 *     import { Status } from './svc-status.mjs'
 *     new Status('mail').ok('3 mails read')
 *
 * Copy this file beside the program; `svc-status.d.mts` has its types. It needs Node 20 and nothing else, and it never
 * uses the network: it writes `status.json` into a folder, and `svc report` or the runtime sends it. No method throws
 * because of a disk, or because of a value. The first fault of each kind is one line on standard error, and what the
 * contract would cut is cut here. docs/sdk.md of svc describes it; your service shows it at /help/sdk.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const runsKept = 100
/** Readers accept at most 256 KB. A file of at most 240 KB leaves room for what `svc report` adds. */
const readBytes = 256 * 1024
const fileBytes = 240 * 1024
/** The intervals at which a waiting program looks for requests, and writes so that the page knows that it is alive. */
const lookMs = 1000
const aliveMs = 60_000
const levels = ['ok', 'info', 'warn', 'bad']

// biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is its purpose
const controls = /[\u0001-\u0008\u000b-\u001f\u007f-\u009f]/g
const linkForm = // biome-ignore lint/suspicious/noControlCharactersInRegex: as above
  /^https?:\/\/[^/?#@\s\\\u0000-\u001f\u007f-\u009f\ud800-\udfff]+([/?#][^\s\\\u0000-\u001f\u007f-\u009f\ud800-\udfff]*)?$/u

/**
 * The part of a value that the contract keeps (docs/protocol.md 2, 8); undefined if it keeps nothing. A shape is the
 * length of a text, the item and length of a list, the parts of an object (! marks what it needs), or a function.
 */
function kept(shape, value) {
  if (typeof shape === 'function') return shape(value)
  if (typeof shape === 'number') return text(value, shape)
  if (Array.isArray(shape)) {
    const items = Array.isArray(value) ? Array.from(value, (one) => kept(shape[0], one)) : undefined
    return items?.filter((one) => one !== undefined).slice(0, shape[1])
  }
  if (!isObject(value)) return undefined
  const found = {}
  for (const [key, part] of Object.entries(shape)) {
    const name = key.replace('!', '')
    const one = kept(part, value[name])
    if (one !== undefined) found[name] = one
    else if (name !== key) return undefined
  }
  return found
}

const isError = (value) => value instanceof Error
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value) && !isError(value)

function text(value, most) {
  if (value == null || typeof value === 'function' || (typeof value === 'object' && !isError(value))) return undefined
  // The longest text of the contract has 500 characters, so nobody waits for one of 10 MB.
  const start = String(isError(value) ? value.message : value).slice(0, 20_000)
  const all = start.toWellFormed().replaceAll('\0', '\ufffd').replace(controls, '')
  return all.length > most ? [...all.slice(0, 2 * most)].slice(0, most).join('') : all
}

function number(value, least = -Infinity, most = Infinity) {
  if (typeof value !== 'number' && typeof value !== 'bigint') return undefined
  const one = Number(value) + 0
  return Number.isFinite(one) && one >= least && one <= most ? one : undefined
}

function costs(value) {
  const pairs = Object.entries(isObject(value) ? value : {}).map(([model, usd]) => [word(200)(model), amount(usd)])
  const known = pairs.filter((pair) => !pair.includes(undefined)).slice(0, 50)
  return known.length > 0 ? Object.fromEntries(known) : undefined
}

function link(value) {
  const fits = typeof value === 'string' && value.length <= 4000 && [...value].length <= 2000 && linkForm.test(value)
  return fits && URL.canParse(value) ? value : undefined
}

function panel(value) {
  const parts = isObject(value) && Object.hasOwn(partsOfPanels, value.type) ? partsOfPanels[value.type] : undefined
  return parts && kept({ 'type!': 200, 'title!': 200, ...parts }, value)
}

/** A heading or cell that cannot be shown is empty, so that its neighbours keep their places. */
const cell = (value) => kept(isObject(value) ? { 'text!': 300, url: link } : 300, value) ?? ''
const word = (most) => (value) => kept(most, value) || undefined
const level = (value) => (value == null ? undefined : levels.includes(value) ? value : 'info')
const amount = (value) => number(value, 0)
const count = (value) => (Number.isSafeInteger(number(value, 0)) ? number(value) : undefined)
const share = (value) => number(value, 0, 1)
const figure = (value) => number(value)
const stateShape = { 'level!': level, label: 80, detail: 300 }
const healthShape = { 'name!': 200, 'level!': level, detail: 300 }
const gaugeShape = { 'name!': 200, 'used!': figure, mark: figure, detail: 300 }
const runShape = {
  'id!': word(190),
  ...{ kind: 40, status: 20, started: count, ended: count, cost_usd: amount, output_tokens: count, models: costs },
  subjects: [{ 'title!': 200, url: link, share }, 20],
  log: word(190),
}
const partsOfPanels = {
  list: { 'items!': [{ 'title!': 200, url: link, meta: 200, badge: 200, level }, 200] },
  table: { 'columns!': [(value) => kept(200, value) ?? '', 12], 'rows!': [[cell, 12], 200] },
  kv: { 'items!': [{ 'label!': 200, 'value!': 300 }, 200] },
  text: { 'lines!': [500, 200] },
}

/** The object in a regular file; undefined if it is missing. A pipe is refused, because opening it would wait. */
function readJson(path) {
  if (!fs.existsSync(path)) return undefined
  const facts = fs.statSync(path)
  if (!facts.isFile() || facts.size > readBytes) throw new Error(`it is not a file of at most ${readBytes} bytes`)
  const value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(fs.readFileSync(path)))
  if (!isObject(value)) throw new Error('it holds no JSON object')
  return value
}

/** A text that changes whenever the file is written or replaced; undefined if the file is missing. */
function stamp(path) {
  try {
    const { ino, mtimeNs, size } = fs.statSync(path, { bigint: true })
    return `${ino} ${mtimeNs} ${size}`
  } catch {
    return undefined
  }
}

const now = () => Math.max(0, Math.floor(Date.now() / 1000))
const opened = new Map()

/**
 * The status of a program: `status.json` in SVC_STATE_DIR, else in `folder`, else in the current folder. The same
 * folder gives the same object in the whole program. Each call writes the whole file.
 */
export class Status {
  #file
  #pauseFile
  #runNowFile
  #settingsFile
  #state
  #parts = { health: new Map(), gauges: new Map(), panels: new Map() }
  /** The runs: facts of those that are over, and functions that give the facts of open ones. */
  #runs = []
  #said = new Set()
  /** The stamp of what this program wrote last, and the time. */
  #written
  #writtenAt = 0
  #settings = {}
  #asked = false
  #saw

  constructor(folder) {
    let place = String(folder)
    try {
      place = resolve(process.env.SVC_STATE_DIR || (folder instanceof URL ? fileURLToPath(folder) : folder) || '.')
      const agent = process.env.SVC_AGENT_DIR
      const manifest = agent && join(agent, 'svc.agent.yaml')
      // An agent that was connected by hand has its status file in its own folder, also under the runtime.
      const isThere = manifest && fs.existsSync(manifest)
      if (isThere && /^status: *status\.json\b/m.test(fs.readFileSync(manifest, 'utf8'))) place = agent
      fs.mkdirSync(place, { recursive: true })
      place = fs.realpathSync(place)
    } catch {}
    // biome-ignore lint/correctness/noConstructorReturn: two objects would overwrite each other's file
    if (opened.has(place)) return opened.get(place)
    opened.set(place, this)
    const named = (name, usual) => process.env[name] || join(place, '.svc', usual)
    this.#pauseFile = named('SVC_PAUSE_FILE', 'paused')
    this.#runNowFile = named('SVC_RUN_NOW_FILE', 'run_now')
    this.#settingsFile = named('SVC_SETTINGS_FILE', 'settings.json')
    this.#file = join(place, 'status.json')
    this.#saw = { paused: this.paused, settings: stamp(this.#settingsFile) }
    try {
      this.#beginAgain()
    } catch {} // A file that cannot be read has no runs.
  }

  ok = (label, detail) => this.#set('ok', label, detail)
  info = (label, detail) => this.#set('info', label, detail)
  warn = (label, detail) => this.#set('warn', label, detail)
  bad = (label, detail) => this.#set('bad', label, detail)

  health = (name, level, detail) => this.#put('health', healthShape, { name, level, detail }, level == null)
  gauge = (name, used, mark, detail) => this.#put('gauges', gaugeShape, { name, used, mark, detail }, used == null)
  panel = (whole) => this.#put('panels', panel, whole, false)

  run(kind, title) {
    const told = { kind, status: 'running', started: now(), ...(title != null && { subjects: [{ title }] }) }
    const facts = () => {
      const { id, costUsd, outputTokens, models } = run
      const sums = { cost_usd: costUsd || undefined, output_tokens: outputTokens || undefined, models }
      return kept(runShape, { id, ...told, ...sums })
    }
    const end = (status = 'ok') =>
      void this.#change(() => {
        if (told.ended === undefined) Object.assign(told, { status, ended: Math.max(told.started, now()) })
        this.#runs = this.#runs.map((one) => (one === facts ? facts() : one))
      })
    const run = { id: randomBytes(8).toString('hex'), costUsd: 0, outputTokens: 0, models: {}, end }
    this.#change(() => this.#keep(facts))
    return run
  }

  get paused() {
    return fs.existsSync(this.#pauseFile)
  }

  takeRunNow() {
    const asked = this.#asked
    this.#asked = false
    if (!fs.existsSync(this.#runNowFile)) return asked
    return this.#quiet(() => fs.unlinkSync(this.#runNowFile) ?? true) ?? asked
  }

  get settings() {
    try {
      this.#settings = readJson(this.#settingsFile) ?? {}
    } catch (error) {
      this.#say('settings', `the last settings stay, ${this.#settingsFile} cannot be read: ${error.message}`)
    }
    return { ...this.#settings }
  }

  async wait(seconds) {
    const until = performance.now() + (seconds === Infinity ? seconds : (amount(seconds) ?? 0) * 1000)
    this.#asked = false
    for (;;) {
      const [why, left] = [this.#look(), until - performance.now()]
      if (why || left <= 0) return why ?? 'time'
      await new Promise((over) => setTimeout(over, Math.min(left, lookMs)))
    }
  }

  #look() {
    const [saw, paused, settings] = [this.#saw, this.paused, stamp(this.#settingsFile)]
    if (paused !== saw.paused) {
      saw.paused = paused
      return paused ? 'paused' : 'resumed'
    }
    if (settings !== saw.settings) {
      saw.settings = settings
      return 'settings'
    }
    if (!paused && this.takeRunNow()) {
      this.#asked = true
      return 'run_now'
    }
    if (this.#written && performance.now() - this.#writtenAt >= aliveMs) this.#quiet(() => this.#write())
    return undefined
  }

  #set(level, label, detail) {
    this.#change(() => {
      this.#state = kept(stateShape, { level, label, detail })
    })
  }

  /** Puts an item in the place of the one with its name, or removes that one. */
  #put(part, shape, value, removes) {
    this.#change(() => {
      const key = kept(200, part === 'panels' ? value?.title : value.name)
      const [item, items] = [kept(shape, value), this.#parts[part]]
      if (!item && !removes) this.#say(part, `left out of ${part}, since it lacks what it needs: ${key}`)
      if (!item) items.delete(key)
      else if (items.has(key) || items.size < (part === 'panels' ? 20 : 50)) items.set(key, item)
    })
  }

  /** Adds a run, and drops the oldest one that is over if there are too many. Open runs stay until they end. */
  #keep(run) {
    this.#runs.push(run)
    const over = this.#runs.findIndex((one) => typeof one !== 'function')
    if (this.#runs.length > runsKept) this.#runs.splice(Math.max(0, over), 1)
  }

  /** Takes over the runs of an earlier process. Its open runs count as ended when it last wrote. */
  #beginAgain() {
    for (const run of kept([runShape, runsKept], readJson(this.#file)?.runs) ?? []) {
      const last = Math.max(run.started ?? 0, Math.min(now(), Math.floor(fs.statSync(this.#file).mtimeMs / 1000)))
      this.#keep(run.ended !== undefined ? run : { ...run, status: 'interrupted', ended: last })
    }
  }

  #content() {
    const runs = this.#runs.map((run) => (typeof run === 'function' ? run() : run)).filter(Boolean)
    const going = runs.filter(({ ended }) => ended === undefined).slice(-50)
    const active = going.map(({ kind, started, subjects }) => ({ kind, started, subjects }))
    const { health, gauges, panels } = this.#parts
    const texts = this.#state ? [`"state":${JSON.stringify(this.#state)}`] : []
    let room = fileBytes
    // The parts that matter most take their room first. Among the runs, these are the newest ones.
    const parts = { health: health.values(), active, gauges: gauges.values(), runs: runs.reverse() }
    for (const [part, items] of Object.entries({ ...parts, panels: panels.values() })) {
      const fitting = Array.from(items, (item) => JSON.stringify(item)).filter((item) => {
        const size = Buffer.byteLength(item) + 1
        const fits = size <= room
        if (fits) room -= size
        else this.#say('room', `${this.#file} may have ${fileBytes} bytes: what did not fit was left out`)
        return fits
      })
      if (part === 'runs') fitting.reverse()
      if (fitting.length > 0) texts.push(`"${part}":[${fitting.join(',')}]`)
    }
    return `{${texts.join(',')}}\n`
  }

  /** Writes a new file beside the old one and renames it, so that nobody reads half a file. */
  #write() {
    const content = this.#content()
    const beside = join(this.#file, '..', `.status.json.${randomBytes(8).toString('hex')}.new`)
    this.#writtenAt = performance.now()
    fs.mkdirSync(join(this.#file, '..'), { recursive: true })
    try {
      fs.writeFileSync(beside, content, { flag: 'wx', mode: 0o600 })
      const [found, written] = [stamp(this.#file), stamp(beside)]
      if (this.#written && found && found !== this.#written)
        this.#say('second', `another program writes ${this.#file} too: each needs a folder of its own`)
      fs.renameSync(beside, this.#file)
      this.#written = written
    } catch (error) {
      fs.rmSync(beside, { force: true })
      throw error
    }
  }

  #change = (act) => this.#quiet(() => [act(), this.#write()])

  /** Calls `act`. An error must not stop the program, so it becomes one line on standard error. */
  #quiet(act) {
    try {
      return act()
    } catch (error) {
      this.#say(error?.code ?? error?.name, `${this.#file}: ${error?.message ?? error}`)
      return undefined
    }
  }

  #say(kind, line) {
    if (this.#said.has(kind)) return
    this.#said.add(kind)
    try {
      fs.writeSync(2, `svc-status: ${line.replace(/\s+/g, ' ').slice(0, 500)}\n`)
    } catch {}
  }
}
