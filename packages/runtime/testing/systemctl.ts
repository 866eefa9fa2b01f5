/**
 * A stand-in for `systemctl --user`: it reads units at daemon-reload, keeps their process alive (`Restart=always`),
 * ends that process with SIGTERM, and prints `active` or `inactive`. One keeper process per unit does the work of
 * systemd. The folder SVC_TEST_SYSTEMD has `loaded/` for units and `run/` for keepers. With SVC_TEST_SYSTEMD_OFF every
 * command fails, as in a container or after `sudo -iu`; SVC_TEST_SYSTEMD_NO names one command that fails, such as
 * "start".
 */
import { spawn } from 'node:child_process'
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const home = process.env.SVC_TEST_SYSTEMD ?? ''
const units = join(process.env.XDG_CONFIG_HOME ?? '', 'systemd/user')
const loaded = join(home, 'loaded')
const run = join(home, 'run')
for (const folder of [loaded, run]) mkdirSync(folder, { recursive: true })
const [first, ...rest] = process.argv.slice(2)
const [command = '', unit = ''] = first === '--user' ? rest : [first, ...rest]

if (command === 'keep') keep()
else await main()

async function main(): Promise<void> {
  appendFileSync(join(home, 'calls'), `${process.argv.slice(2).join(' ')}\n`)
  if (process.env.SVC_TEST_SYSTEMD_OFF) fails('Failed to connect to bus: No medium found')
  if (process.env.SVC_TEST_SYSTEMD_NO === command) fails(`Job for ${unit} failed.`)
  switch (command) {
    case 'daemon-reload':
      for (const name of readdirSync(loaded)) if (!existsSync(join(units, name))) rmSync(join(loaded, name))
      for (const name of services(units)) copyFileSync(join(units, name), join(loaded, name))
      return
    case 'enable':
    case 'disable':
      if (!existsSync(join(units, unit))) fails(`Failed to ${command} unit, unit ${unit} does not exist.`)
      return
    case 'is-active': {
      const active = pidOf(unit) !== undefined
      process.stdout.write(`${active ? 'active' : 'inactive'}\n`)
      process.exitCode = active ? 0 : 3
      return
    }
    case 'start':
      start()
      return
    case 'stop':
      await stop()
      return
    case 'restart':
      await stop()
      start()
      return
    default:
      fails(`Unknown command verb ${command}.`)
  }
}

function start(): void {
  if (!existsSync(join(loaded, unit))) fails(`Failed to start ${unit}: Unit ${unit} not found.`)
  if (pidOf(unit) !== undefined) return
  rmSync(join(run, `${unit}.stop`), { force: true })
  const keeper = spawn(process.execPath, [fileURLToPath(import.meta.url), 'keep', unit], {
    detached: true,
    stdio: 'ignore',
  })
  writeFileSync(join(run, `${unit}.keeper`), String(keeper.pid))
  keeper.unref()
}

async function stop(): Promise<void> {
  const keeper = pidOf(unit)
  if (keeper === undefined) return
  writeFileSync(join(run, `${unit}.stop`), '')
  process.kill(keeper, 'SIGTERM')
  while (alive(keeper)) await new Promise((resolve) => setTimeout(resolve, 10))
}

/**
 * Does the work of systemd for one unit: starts the process of the unit again whenever it ends, until the unit is
 * stopped.
 */
function keep(): void {
  const text = readFileSync(join(loaded, unit), 'utf8')
  const value = (key: string) => new RegExp(`^${key}=(.*)$`, 'm').exec(text)?.[1] ?? ''
  const [program = '', ...args] = wordsOf(value('ExecStart'))
  const env = Object.fromEntries(wordsOf(value('Environment')).map((pair) => pair.split(/=(.*)/s).slice(0, 2)))
  const stopped = () => existsSync(join(run, `${unit}.stop`))
  const begin = () => {
    const child = spawn(program, args, {
      cwd: value('WorkingDirectory').replaceAll('%%', '%'),
      env: { ...env, HOME: process.env.HOME, SVC_TIME_SCALE: process.env.SVC_TIME_SCALE },
      stdio: 'ignore',
    })
    const end = () => child.kill('SIGTERM')
    process.on('SIGTERM', end)
    child.once('exit', () => {
      process.off('SIGTERM', end)
      appendFileSync(join(home, 'ends'), `${unit}\n`)
      if (stopped() || value('Restart') !== 'always') process.exit()
      setTimeout(begin, Number(value('RestartSec')) * 1000)
    })
  }
  process.on('SIGTERM', () => setTimeout(() => stopped() && process.exit(), 30_000).unref())
  begin()
}

/**
 * Splits a line of a unit file into words. Each word is in quotes, `\` stands before `\` and `"` in a word, and `$$`
 * and `%%` mean `$` and `%`.
 */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, word = '']) =>
    word.replace(/\\(.)/g, '$1').replaceAll('$$', '$').replaceAll('%%', '%'),
  )
}

function services(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => basename(name).endsWith('.service')) : []
}
function pidOf(name: string): number | undefined {
  const file = join(run, `${name}.keeper`)
  const pid = existsSync(file) ? Number(readFileSync(file, 'utf8')) : undefined
  return pid !== undefined && alive(pid) ? pid : undefined
}
function alive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
function fails(message: string): never {
  writeSync(2, `${message}\n`)
  process.exit(1)
}
