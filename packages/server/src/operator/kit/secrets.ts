/** Describes new secrets of a version for the terminal, as the page does before a version is wished. */
import type { AskedSecrets } from '../../blueprints/secrets.ts'
import { line } from './show.ts'

export function secretsText(asked: AskedSecrets | undefined): string[] {
  if (!asked) return []
  const { version, than, secrets } = asked
  const [what, are] = secrets.length === 1 ? ['a secret', 'It must be'] : ['secrets', 'They must be']
  return [
    `Version ${line(version)} asks for ${what} that ${line(than.join(', '))} did not. ${are} set on the agent's machine first, or the version may not start:`,
    ...secrets.map(
      ({ name, purpose, optional }) =>
        `  svc secrets set ${line(name)}  ${line(purpose)}${optional ? ' (optional)' : ''}`,
    ),
  ]
}
