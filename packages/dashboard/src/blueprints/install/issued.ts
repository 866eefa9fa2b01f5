/**
 * Hands a new install code from the form to the page that shows it once. Only the memory of this window holds the code
 * (I29).
 */
import type { NewCode } from '@svc/api'

const waiting = new Map<string, NewCode>()

/** Keeps a new install code for the page that shows it. */
export const keepIssuedCode = (code: NewCode): void => void waiting.set(code.id, code)

/** Returns the code with this id and forgets it, so a second call returns undefined. */
export function takeIssuedCode(id: string): NewCode | undefined {
  const code = waiting.get(id)
  waiting.delete(id)
  return code
}
