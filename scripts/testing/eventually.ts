import { vi } from 'vitest'

interface Pace {
  /** Must be less than a test may take: 60 s, and 120 s for tests of processes and of pages. */
  readonly seconds?: number
  readonly everyMs?: number
}

/**
 * Calls `holds` until it no longer throws, and returns its result. The error says what was waited for, for how long,
 * and what was wrong last. Use it only if nothing announces the change; if there is an event, wait for that (`within`).
 */
export async function eventually<T>(
  what: string,
  holds: () => T | Promise<T>,
  { seconds = 20, everyMs = 50 }: Pace = {},
): Promise<T> {
  const asked = new Error()
  try {
    return await vi.waitFor(holds, { timeout: seconds * 1000, interval: everyMs })
  } catch (cause) {
    asked.message = `Waited ${seconds} s for this: ${what}. Last: ${cause instanceof Error ? cause.message : cause}`
    throw Object.assign(asked, { cause })
  }
}
