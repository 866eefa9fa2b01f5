/** Tests the output of the agent's process as a log: a command can fetch it only if the manifest declares it. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { afterThisTest } from '../../../../testing/cleaning.ts'
import { bundleManifest } from '../../testing/blueprint.ts'
import { becomes, starts, svc } from '../../testing/folder.ts'
import { installedAgent, password } from '../../testing/installed.ts'
import { command, json, startService } from '../../testing/service.ts'
import { readNote } from '../state/process-note.ts'
import { maxOutputBytes } from './output.ts'

const crashing = { 'main.cjs': 'throw new Error("no module restic for " + process.env.MAIL_PASSWORD)\n' }
const declaring = bundleManifest.replace('logs: [', 'logs: [{name: printed, path: state/printed.log, output: true}, ')

/** Starts a runtime with an agent that crashes, and waits until the runtime has noted the first crash. */
async function crashes(files: Readonly<Record<string, string>>) {
  const good = await startService()
  afterThisTest(() => good.close())
  good.usual = json({ commands: [], interval: 5 })
  const agent = await installedAgent(good, { ...crashing, ...files })
  afterThisTest(() => agent.remove())
  const running = starts(agent, ['run'], { scale: 0.05 })
  afterThisTest(() => running.end('SIGKILL'))
  await becomes('a crash', () => {
    const state = readNote(agent)?.state
    return state && 'crashes' in state && state.crashes > 0
  })
  const asks = async (name: string) => {
    good.next.push(json({ commands: [command('1', 'log', { name })], interval: 5 }))
    await good.logged(1)
    return JSON.parse(good.logs[0]?.text ?? '').text as string
  }
  return { agent, asks }
}

test('the traceback of a crashing agent can be fetched by a log command if its manifest declares the output, masked; "svc logs output" still shows it', async () => {
  const { agent, asks } = await crashes({ 'svc.agent.yaml': declaring })
  expect(await asks('printed')).toContain('Error: no module restic for [masked]')
  expect(readFileSync(join(agent.state, 'printed.log'), 'utf8')).toContain(password)
  expect(existsSync(agent.output), 'our own file').toBe(false)
  for (const name of ['output', 'printed'])
    expect((await svc(agent, ['logs', name])).out, name).toContain('Error: no module restic for [masked]')
})

test('a process that is taken over keeps its output file, which is still rotated', async () => {
  const good = await startService()
  afterThisTest(() => good.close())
  const patient = 'console.log("began"); setInterval(() => {}, 1000)\n'
  const agent = await installedAgent(good, { 'main.cjs': patient, 'svc.agent.yaml': declaring })
  afterThisTest(() => agent.remove())
  const printed = join(agent.state, 'printed.log')
  const first = starts(agent, ['run'], { scale: 0.05 })
  afterThisTest(() => first.end('SIGKILL'))
  await becomes('output', () => existsSync(printed) && readFileSync(printed, 'utf8') === 'began\n')
  await becomes('its note', () => readNote(agent)?.state.is === 'running')
  await first.end('SIGKILL')
  const second = starts(agent, ['run'], { scale: 0.05 })
  afterThisTest(() => second.end('SIGKILL'))
  await second.said('took over the agent')
  appendFileSync(printed, 'x'.repeat(maxOutputBytes))
  await becomes('rotated', () => existsSync(`${printed}.1`) && readFileSync(printed, 'utf8') === '')
  expect(readNote(agent)?.output).toBe(printed)
})
