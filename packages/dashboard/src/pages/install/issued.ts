/** A code is shown once. It goes from the form to its page in this window's memory, and nowhere else (I29). */
import type { NewCode } from '@svc/api'

const waiting = new Map<string, NewCode>()

export const handOver = (code: NewCode): void => void waiting.set(code.id, code)

/** Returns the code for a page; undefined the second time. */
export function take(id: string): NewCode | undefined {
  const code = waiting.get(id)
  waiting.delete(id)
  return code
}
