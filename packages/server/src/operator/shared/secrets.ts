/**
 * Describes for the terminal the new secrets that a version asks for. The page shows the same before the version is
 * requested.
 */
import type { SecretsToAsk } from '../../updates/blueprints/secrets.ts'
import { oneSafeLine } from './show.ts'

/** The lines about these secrets; none if there are no new ones. */
export function secretsText(asked: SecretsToAsk | undefined): string[] {
  if (!asked) return []
  const { version, than, secrets } = asked
  const [what, are] = secrets.length === 1 ? ['a secret', 'It must be'] : ['secrets', 'They must be']
  return [
    `Version ${oneSafeLine(version)} asks for ${what} that ${oneSafeLine(than.join(', '))} did not. ${are} set on the agent's machine first, or the version may not start:`,
    ...secrets.map(
      ({ name, purpose, optional }) =>
        `  svc secrets set ${oneSafeLine(name)}  ${oneSafeLine(purpose)}${optional ? ' (optional)' : ''}`,
    ),
  ]
}
