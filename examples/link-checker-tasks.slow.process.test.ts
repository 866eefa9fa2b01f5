/**
 * Tests the example agent link-checker together with the product for which it has a binding: with tokens from real
 * installations, and with a product that is not there, slow or hostile. `npm test` leaves this out. It is about an
 * example, which shares no code with the product.
 */
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { StatusFile } from '@svc/protocol'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { type Binding, call, newProductSetup } from './product-running.ts'
import { Example } from './running.ts'

const environment = ({ url, workspace, token }: Binding) => ({
  SVC_BINDING_TASKS_URL: url,
  SVC_BINDING_TASKS_WORKSPACE: workspace,
  SVC_BINDING_TASKS_TOKEN: token,
})
const item = (s: StatusFile) => s.health?.find((h) => h.name === 'Tasks')
const says = (text: string) => (s: StatusFile) => item(s)?.detail?.includes(text) ?? false
/** Creates a link-checker agent with this binding. The agent checks the given documents, which are in its folder. */
async function checker(binding: Binding, documents: Record<string, string>) {
  const agent = new Example('link-checker', environment(binding))
  onTestFinished(() => agent[Symbol.asyncDispose]())
  rmSync(agent.path('README.md'))
  const write = (name: string, text: string) => writeFileSync(agent.path(name), text)
  for (const [name, text] of Object.entries(documents)) write(name, text)
  return { agent, write }
}
async function listening(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('each document with broken links has one open task, which closes when they are mended, even after a restart or an outage', async () => {
  const setup = await newProductSetup()
  const product = await setup.product()
  const binding = await setup.installs('link-checker')
  const tasks = async () => {
    const { tasks: all } = (await call(binding, 'GET', '/tasks')).body as {
      tasks: { key: string; title: string; detail: string; state: string }[]
    }
    return all.map((t) => `${t.state} ${t.title}`).sort()
  }
  const { agent, write } = await checker(binding, { 'a.md': '[x](gone.md) [y](lost.md)', 'b.md': '\n[z](gone.md)' })
  agent.start()
  const status = await agent.until(says('2 open'))
  expect(item(status)?.level).toBe('info')
  expect(await tasks()).toEqual(['open 1 broken link in b.md', 'open 2 broken links in a.md'])

  write('lost.md', 'here')
  agent.runNow()
  const both = ['open 1 broken link in a.md', 'open 1 broken link in b.md']
  await eventually('both tasks are open', async () => expect(await tasks()).toEqual(both))
  await product.kill()
  write('gone.md', 'here')
  agent.runNow()
  const away = await agent.until(says('cannot be reached'))
  expect([away.state?.level, away.runs?.[0]?.status]).toEqual(['ok', 'ok'])

  await product.start()
  await agent.stop()
  agent.start()
  await agent.until(says('0 open'))
  expect(await tasks()).toEqual(['done 1 broken link in a.md', 'done 1 broken link in b.md'])
  expect(agent.log()).toContain('tasks: closed the one for a.md')
  for (const text of [agent.log(), JSON.stringify(agent.status())]) expect(text).not.toContain(binding.token)

  await setup.home.value(['bot', 'revoke', 'north/link-checker'])
  await eventually('the revoked token is refused', async () => expect((await call(binding)).status).toBe(401))
  agent.runNow()
  await agent.until(says('answers 401'))
})

test('a product that never answers delays neither a check, nor a pause, nor the end', async () => {
  const asked = Promise.withResolvers<void>()
  const url = await listening(() => asked.resolve())
  const { agent } = await checker({ url, workspace: 'w', token: 't' }, { 'a.md': '[x](gone.md)' })
  agent.start()
  const first = await agent.until((s) => s.runs?.[0]?.ended !== undefined)
  await asked.promise
  agent.runNow()
  await agent.until((s) => s.runs?.[0]?.ended !== undefined && s.runs[0].id !== first.runs?.[0]?.id)
  agent.pause()
  await agent.until((s) => s.state?.label === 'Paused')
  const { code } = await agent.stop()
  expect(code).toBe(0)
})

test('the token follows no redirect, and nonsense from the product is reported and does no harm', async () => {
  const elsewhere: string[] = []
  const other = await listening((request, response) => {
    elsewhere.push(request.url ?? '')
    response.end('{}')
  })
  const answers = [
    (response: ServerResponse) => response.writeHead(302, { location: `${other}/stolen` }).end(),
    (response: ServerResponse) => response.end('<html>'),
    (response: ServerResponse) => response.end('{"tasks": [7]}'),
    (response: ServerResponse) => response.destroy(),
  ]
  const url = await listening((_, response) => answers.shift()?.(response))
  const { agent } = await checker({ url, workspace: 'w', token: 't' }, { 'a.md': 'good' })
  agent.start()
  await agent.until(says('answers 302'))
  for (const text of ['Expecting value', 'subscriptable', 'cannot be reached']) {
    agent.runNow()
    const said = await agent.until(says(text))
    expect(said.state?.level).toBe('ok')
  }
  expect(elsewhere).toEqual([])
})

test('without all three variables of the binding it works as if it had none', async () => {
  const { agent } = await checker({ url: 'http://127.0.0.1:9', workspace: 'w', token: '' }, { 'a.md': '[x](gone.md)' })
  agent.start()
  const status = await agent.until((s) => s.runs?.[0]?.ended !== undefined)
  expect(item(status)).toBeUndefined()
})
