/**
 * A process that reports as one agent until it is killed: `reporter.ts ORIGIN`, with the agent's token in
 * `SVC_TEST_TOKEN`. It reports at once and then at the interval that the service asks for, and prints the time of each
 * report that the service accepted, in Unix milliseconds.
 */
import { setTimeout as sleep } from 'node:timers/promises'

const [origin = ''] = process.argv.slice(2)
const headers = { authorization: `Bearer ${process.env.SVC_TEST_TOKEN}`, 'content-type': 'application/json' }
const body = JSON.stringify({ protocol: 1, state: { level: 'ok', label: 'Working' } })
let interval = 30
for (;;) {
  try {
    const answer = await fetch(`${origin}/api/agent/v1/report`, { method: 'POST', headers, body })
    if (answer.ok) {
      interval = ((await answer.json()) as { interval: number }).interval
      process.stdout.write(`${Date.now()}\n`)
    }
  } catch {
    // The service cannot be reached now. The next report follows at the usual time.
  }
  await sleep(interval * 1000)
}
