/** A code is shown once: it goes from where it was issued to its page in this window's memory, and nowhere else (I29). */
import type { NewCode } from '@svc/api'

const waiting = new Map<string, NewCode>()

export const handOver = (code: NewCode): void => void waiting.set(code.id, code)

/** What was handed over for a page; undefined the second time. */
export function take(id: string): NewCode | undefined {
  const code = waiting.get(id)
  waiting.delete(id)
  return code
}
