import { readPasted } from '@svc/protocol'
import { exits, Refusal } from '../kit/output.ts'

/** Reads what a person pasted into a command. `what` begins the sentence of the refusal. */
export function pasted(what: string, text: string, options: { secret?: boolean } = {}): string {
  const read = readPasted(what, text, options)
  if (read.ok) return read.value
  throw new Refusal(read.message, exits.usage)
}
