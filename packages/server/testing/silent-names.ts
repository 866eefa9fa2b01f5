/**
 * A program for names.slow.process.test.ts, which runs it in a network of its own. Its name server resolves names
 * below `good.test` to 127.0.0.1, and never answers for other names. The program sends messages to names of both kinds
 * at the same time, and prints how they ended.
 */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ping, sendMessage } from '../src/deliveries/send.ts'
import { sendMail } from '../src/deliveries/smtp.ts'

const asked = new Set<string>()
const nameServer = createSocket('udp4', (query, { port, address }) => {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  asked.add(labels.join('.'))
  if (labels.slice(-2).join('.') !== 'good.test') return
  const isA = query.readUInt16BE(at + 1) === 1
  const answer = Buffer.concat([
    query.subarray(0, 2),
    Buffer.from([0x81, 0x80, 0, 1, 0, isA ? 1 : 0, 0, 0, 0, 0]),
    query.subarray(12, at + 5),
    isA ? Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, 127, 0, 0, 1]) : Buffer.alloc(0),
  ])
  nameServer.send(answer, port, address)
})
nameServer.bind(53, '127.0.0.1')
await once(nameServer, 'listening')
const receiver = createServer((_request, response) => response.end('thanks')).listen(0, '127.0.0.1')
await once(receiver, 'listening')
const { port } = receiver.address() as AddressInfo

const post = (host: string) =>
  sendMessage(
    { method: 'POST', url: `http://${host}:${port}/`, headers: {}, body: '' },
    { allowed: ['127.0.0.0/8'], withinMs: 4000 },
  )
let ended = 0
const hanging = Array.from({ length: 100 }, async (_, i) => {
  const mail = { subject: 'x', text: 'x', html: 'x', messageId: `<${i}@a.test>`, headers: {} }
  const mailing = { smtpUrl: `smtp://mail${i}.silent.test`, mailFrom: 'svc@a.test' }
  const kinds = [
    () => post(`hook${i}.silent.test`),
    () => ping(`http://heart${i}.silent.test/`, { withinMs: 4000 }),
    () => sendMail(mailing, 'ops@a.test', mail, { withinMs: 4000 }),
  ]
  const answer = await kinds[i % 3]?.()
  ended++
  return answer
})
while (asked.size < hanging.length) await new Promise((later) => setTimeout(later, 10))
const good = [await post('hooks.good.test'), await ping(`http://ping.good.test:${port}/`), await post('named-in-hosts')]
await readFile(process.execPath).then(({ length }) => length)
const endedBefore = ended
const answers = await Promise.all(hanging)
console.log(
  JSON.stringify({ good, endedBefore, answers: [...new Set(answers.map((answer) => JSON.stringify(answer)))] }),
)
process.exit(0)
