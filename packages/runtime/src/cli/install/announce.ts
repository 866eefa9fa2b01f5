/**
 * The text that a person reads before an installation: what is installed, in which folder, and what the agent may
 * access.
 */
import type { Preview } from '@svc/protocol'
import { needsLines } from '../../install/ready.ts'
import { oneLine } from '../kit/output.ts'

export function announce(seen: Preview, origin: string, root: string): string[] {
  const secrets = seen.secrets ?? []
  const bindings = seen.bindings ?? []
  return [
    `${seen.agentName}: ${seen.blueprint} ${seen.version} from ${origin}`,
    ...(seen.description ? [`  ${seen.description}`] : []),
    `Goes into ${root}. It runs as your user on this machine (${seen.runtime ?? 'process'}) and can read what you can read.`,
    ...needsLines(seen),
    ...(bindings.length === 0
      ? ['It uses no other products.']
      : [
          'It gets a token for:',
          ...bindings.map((b) => `  ${b.product} as ${b.role}: ${b.scopes?.join(', ') || 'no scopes'}`),
        ]),
    ...(secrets.length === 0
      ? ['It needs no secrets.']
      : ['It needs:', ...secrets.map((s) => `  ${s.name}${s.optional ? ' (optional)' : ''}: ${s.purpose}`)]),
  ].map(oneLineKept)
}
const oneLineKept = (line: string): string => (/^ */.exec(line)?.[0] ?? '') + oneLine(line)
