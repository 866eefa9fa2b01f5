import { readPasted } from '@svc/protocol'
import { granted } from '../../platform/refusal.ts'

/** Reads the secret part of a link from the address of a request, where a person pasted it. */
export const pastedLink = (text: string | undefined): string =>
  granted(readPasted('The link', text ?? '', { secret: true }))
