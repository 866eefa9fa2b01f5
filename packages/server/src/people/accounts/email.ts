import { readMailbox } from '../../deliveries/recipient.ts'

/** The address as it is stored. A text that is not an address is only trimmed and put in lower case. */
export function normalEmail(typed: string): string {
  const read = readMailbox(typed)
  return read.ok ? read.value : typed.trim().toLowerCase()
}
