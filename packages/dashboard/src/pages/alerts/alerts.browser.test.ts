/** Alerts as people see and steer them, with the real evaluation and a real receiver. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { axe, wrongLooks } from '../../../testing/axe.ts'
import { openPlace, type Place, password, type Visitor } from '../../../testing/place.ts'

let place: Place
let ada: Visitor
let mo: Visitor
let receiver: Server
const received: { type: string; id: string }[] = []
/** What the receiver answers. */
const answers = 200
const at = (path: string) => `${place.url}/w/north-wind${path}`
const north = '/api/web/w/north-wind'
/** Alerts are evaluated every 15 s. */
const evaluated = { timeout: 60_000 }

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    const body = JSON.parse((await request.toArray()).join('')) as { type: string }
    received.push({ type: body.type, id: String(request.headers['webhook-id']) })
    response.writeHead(answers).end()
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  place = await openPlace({ SVC_OUTBOUND_ALLOW: '127.0.0.0/8' })
  ada = await place.ada()
  await place.operator(
    ['person', 'create', 'mo@example.org', '--name', 'Mo', '--workspace', 'north-wind', '--role', 'member'],
    password,
  )
  mo = await place.visitor()
  await place.signIn(mo, 'mo@example.org')
  await ada.call('PATCH', `${north}/rules`, { rule: 'bad', after: 0 })
  for (const name of ['mail-triage', 'repo-watch']) {
    const { token } = await ada.call<{ token: string }>('POST', `${north}/agents`, { name })
    await place.report(token, { state: { level: 'bad', label: `<b>${name}</b> fails` } })
  }
})
afterAll(async () => {
  receiver?.close()
  await place?.close()
})
afterEach(() => expect(place.faults.splice(0)).toEqual([]))

const receiverUrl = () => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/alerts`
