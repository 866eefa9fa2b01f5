import { vi } from 'vitest'

interface Pace {
  /**
   * The time limit in seconds. It must be shorter than the time limit of the test, which is 60 s, or 120 s in process
   * and browser tests.
   */
  readonly seconds?: number
  readonly everyMs?: number
}

/**
 * Calls `holds` repeatedly until it no longer throws, and returns its result. At the time limit it throws an error that
 * says what was awaited, for how long, and the last failure. Where an event announces the change, use `within` instead.
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
