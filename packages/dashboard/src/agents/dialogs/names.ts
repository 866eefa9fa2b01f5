import { isAgentName, trimInvisible } from '@svc/protocol'

/** The reason why a text cannot be an agent's name (D50), as a sentence; null for a valid name. */
export function wrongWithName(typed: string): string | null {
  const name = trimInvisible(typed)
  if (name === '') return 'Give it a name.'
  if (name.length > 63) return 'A name has at most 63 characters.'
  if (/[A-Z]/.test(name)) return 'Lowercase letters only.'
  if (!/^[a-z0-9-]*$/.test(name)) return 'Lowercase letters, digits and hyphens only.'
  if (/^-|-$|--/.test(name)) return 'A hyphen must be between two letters or digits.'
  return isAgentName(name) ? null : 'Some systems keep this name for a device. Choose another.'
}
