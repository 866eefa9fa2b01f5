import type { FollowedTest, QueuedTest } from '@svc/api'
import { useAlertChange } from '../parts/useAlertChange.ts'

/** The interval, in milliseconds, at which the page requests the state of a test, and the time after which it stops. */
const [everyMs, maxMs] = [500, 60_000]

interface TestCalls {
  send: () => Promise<QueuedTest>
  follow: (id: string) => Promise<FollowedTest>
}

/** Sends a test message and requests its state until the receiver has answered, or for a minute. */
export const useChannelTest = (slug: string, calls: TestCalls) =>
  useAlertChange(slug, 'Not sent', () => resultOf(calls))

async function resultOf({ send, follow }: TestCalls): Promise<FollowedTest> {
  const { id } = await send()
  for (let waited = 0; ; waited += everyMs) {
    const test = await follow(id)
    if (test.state !== 'waiting') return test
    if (waited >= maxMs) return { ...test, message: 'It still waits to be sent. Look at the deliveries later.' }
    await new Promise((after) => setTimeout(after, everyMs))
  }
}
