/**
 * A program that evaluates alerts once, sends deliveries until none waits, and ends: `alerting.ts FILE SHIFT`. FILE is
 * the database, SHIFT the milliseconds by which the program's clock is ahead. Tests kill its process at any moment.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { createEvaluator } from '../src/alerts/evaluation/evaluator.ts'
import { alertWriter } from '../src/alerts/messages/writing.ts'
import { createDispatcher } from '../src/deliveries/dispatcher.ts'
import { openEmbedded } from '../src/platform/db/open.ts'
import { sealKeyOf } from '../src/platform/seal.ts'

const [file = '', shift = '0'] = process.argv.slice(2)
const now = () => Date.now() + Number(shift)
const baseUrl = 'https://svc.example.org'
const log = pino({ level: 'silent' })
const store = openEmbedded(file)
const service = async () => ({ diskFree: null, lastBackupAt: null, clockJump: null, evaluatedAt: null, wentBack: null })
const evaluator = createEvaluator({ store, log, now, node: shift, baseUrl, service })
const dispatcher = createDispatcher({
  ...{
    store,
    log,
    now,
    node: shift,
    key: sealKeyOf(testSecret()),
    allowed: ['127.0.0.0/8'],
    senders: {},
    writer: alertWriter(baseUrl),
  },
})
await evaluator.turn()
for (;;) {
  await dispatcher.dispatch()
  const waiting = await store.db
    .selectFrom('alert_delivery')
    .select('id')
    .where('state', '=', 'waiting')
    .executeTakeFirst()
  if (!waiting) break
  await sleep(20)
}
await store.close()
process.exit(0)

/** The secret with which the test encrypted the address of the alert channel that it stored. */
function testSecret(): string {
  return process.env.SVC_TEST_SECRET ?? ''
}
