/**
 * Tests signals during a start, also in process 1 of a container, where the kernel drops signals without a handler.
 * `npm test` leaves this out. The table of its moments costs a start of the service each.
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../../testing/eventually.ts'
import { byLevel } from '../../../../testing/level.ts'
import { newServiceHome, type ServiceHome, ServiceProcess } from '../../testing/service-process.ts'

const moments = byLevel(2, 2, 20)

/**
 * Code that runs before the program. It says whether a handler of SIGTERM is set before the service's code is loaded.
 */
const watcher = `
const { on } = process
process.on = function (signal, ...rest) {
  if (signal === 'SIGTERM') {
    const isLoaded = process.moduleLoadList.some((name) => name.includes('sqlite'))
    require('node:fs').writeSync(2, isLoaded ? '[late]' : '[first]')
  }
  return on.call(this, signal, ...rest)
}`

test('SIGTERM and SIGINT have handlers first: at any moment of a start they end it, and what was stored is whole', async () => {
  const home = await newServiceHome()
  await home.run(['workspace', 'create', 'north'])
  const at = performance.now()
  const usual = await home.start()
  const startMs = performance.now() - at
  expect(await usual.kill()).toBe(0)
  for (let moment = 0; moment < moments; moment++)
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const service = home.begin()
      onTestFinished(() => void service.child.kill('SIGKILL'))
      await sleep((moment * startMs) / moments)
      // At every second moment the signal comes ten times in a row.
      for (let sent = 0; sent < (moment % 2 === 0 ? 1 : 10); sent++) service.child.kill(signal)
      // Node itself ends the process with the signal before the first line of the program has run.
      expect([0, 143, 130, signal], `${signal} at moment ${moment}: ${service.log}`).toContain(await service.ended)
    }
  const file = join(home.folder, 'watcher.cjs')
  writeFileSync(file, watcher)
  home.env.NODE_OPTIONS = `--require=${file}`
  const last = await home.start()
  expect(last.log).toMatch(/^\[first\]/)
  expect(await home.value(['workspace', 'list'])).toMatchObject([{ slug: 'north' }])
  expect(await last.kill()).toBe(0)
}, 600_000)

const hasNamespaces = spawnSync('unshare', ['--pid', '--fork', 'true']).status === 0

test.skipIf(!hasNamespaces)('as process 1 it says that an init is missing, and SIGTERM ends it', async () => {
  const home = await newServiceHome()
  const service = asProcessOne(home)
  await service.ready()
  expect(service.log).toContain('the service is process 1 of its container')
  process.kill(processOneOf(service), 'SIGTERM')
  expect(await service.ended).toBe(0)
})

test.skipIf(!hasNamespaces)('as process 1 it ends when it is asked ten times during its start', async () => {
  const home = await newServiceHome()
  const service = asProcessOne(home)
  const one = await eventually('process 1 runs', () => processOneOf(service))
  const isRunning = () => existsSync(`/proc/${one}`) && service.child.exitCode === null
  // The kernel drops the signals that come before there are handlers.
  for (let asked = 0; asked < 10 || isRunning(); asked++) {
    if (isRunning()) process.kill(one, 'SIGTERM')
    await sleep(150)
  }
  expect([0, 143]).toContain(await service.ended)
  await (await home.start()).kill()
})

function asProcessOne(home: ServiceHome): ServiceProcess {
  const args = ['--pid', '--fork', '--kill-child', process.execPath, home.program, 'start', '--json']
  const service = new ServiceProcess(spawn('unshare', args, { cwd: home.folder, env: home.env, stdio: 'pipe' }))
  onTestFinished(() => void service.child.kill('SIGKILL'))
  return service
}

/** The id, outside of its namespace, of the process that `unshare` has started. Throws before it has. */
function processOneOf({ child: { pid } }: ServiceProcess): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  if (children === '') throw new Error('unshare has started nothing yet')
  return Number(children)
}
