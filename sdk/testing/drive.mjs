/** Makes calls of svc-status.mjs for the tests. Each line on standard input is a call, and each answer is a line. */
import { fork } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { isMainThread, Worker, workerData } from 'node:worker_threads'
import { Status } from '../node/svc-status.mjs'

const special = { nan: NaN, infinity: Infinity, huge: 10n ** 400n, nothing: undefined }

function valueIn(given) {
  if (Array.isArray(given)) return given.map(valueIn)
  if (typeof given !== 'object' || given === null) return given
  if ('$' in given) return special[given.$]
  if ('$text' in given) return given.$text.repeat(given.times)
  if ('$error' in given) return new Error(given.$error)
  return Object.fromEntries(Object.entries(given).map(([key, one]) => [key, valueIn(one)]))
}

const camel = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase())

/** Two threads call at once, and another one reads. */
async function hammer(times) {
  const torn = []
  const threads = ['one', 'two'].map(
    (name) => new Worker(import.meta.filename, { workerData: { folder, name, times } }),
  )
  let going = threads.length
  for (const thread of threads) thread.once('exit', () => going--)
  while (going > 0) {
    try {
      JSON.parse(readFileSync(join(folder, 'status.json'), 'utf8'))
    } catch (error) {
      if (error.code !== 'ENOENT') torn.push(String(error))
    }
    await new Promise((over) => setImmediate(over))
  }
  return torn
}

function call({ folder, name, times }) {
  const status = new Status(folder)
  for (let number = 0; number < times; number++) {
    status.health(name, 'ok', `${name} ${number}`)
    status.run(name).end()
  }
}

const actions = {
  open: ([place]) => {
    folder = place
    runs.length = 0
    status = new Status(place)
  },
  as_user: ([id]) => process.setuid(id),
  run: (args) => void runs.push(status.run(...args)),
  end: ([at, ...more]) => runs[at % runs.length]?.end(...more),
  set: ([at, name, value]) => {
    const run = runs[at % runs.length]
    if (run) run[camel(name)] = value
  },
  later: ([seconds, path]) => void setTimeout(() => writeFileSync(path, ''), seconds * 1000),
  hammer: ([times]) => hammer(times),
  fork: async () => {
    status.ok('parent')
    const child = fork(import.meta.filename, ['child', folder])
    const code = new Promise((over) => child.once('exit', over))
    await new Promise((wrote) => child.once('message', wrote))
    status.ok('parent')
    child.send('again')
    return code
  },
  fail: () => {
    try {
      status.run('fails')
      throw new Error('inside')
    } catch (error) {
      return error.message
    }
  },
  move_clock: ([seconds]) => {
    const before = Date.now
    Date.now = () => before() + seconds * 1000
  },
  move_timer: ([seconds]) => {
    const before = performance.now.bind(performance)
    performance.now = () => before() + seconds * 1000
  },
  paused: () => status.paused,
  settings: () => status.settings,
}

let status
let folder
const runs = []
if (!isMainThread) call(workerData)
else if (process.argv[2] === 'child') {
  const own = new Status(process.argv[3])
  own.ok('child')
  process.send('wrote')
  process.once('message', () => {
    own.ok('child')
    process.exit(7)
  })
} else
  for await (const line of createInterface({ input: process.stdin })) {
    const [name, ...args] = valueIn(JSON.parse(line))
    const result = await (actions[name]?.(args) ?? (name in actions ? undefined : status[camel(name)](...args)))
    process.stdout.write(`${JSON.stringify(result ?? null)}\n`)
  }
