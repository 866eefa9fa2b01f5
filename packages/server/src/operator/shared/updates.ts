/**
 * Describes updates of agents for the terminal: what a requested update waits for, and the new secrets that a version
 * asks for. The page shows the same, the waiting with times that keep counting, and the secrets before the request.
 */
import type { WaitReason, WishStatus } from '@svc/api'
import type { SecretsToAsk } from '../../updates/blueprints/secrets.ts'
import { oneSafeLine, timeText } from './show.ts'

/**
 * The state of a requested update, and on a second line what it waits for, if that is more than the next report. Empty
 * for null.
 */
export const wishText = (update: WishStatus | null): string =>
  [oneSafeLine(update?.says ?? ''), ...(update?.waits ? [wordsOf(update.waits)] : [])].join('\n    ')

function wordsOf(waits: WaitReason): string {
  switch (waits.for) {
    case 'first_report':
      return 'It has never reported. The request is sent in the answer to its first report.'
    case 'silent':
      return `It is offline, and last reported ${timeText(waits.since)}.`
    case 'node':
      return 'It has reported since, to a service process that was shutting down. The next report gets the request.'
    case 'trials':
      return `It is waiting for its turn: its rollout tests at most ${waits.most} runtimes of this workspace at a time (now ${waits.now}).`
    case 'window':
      return `It watches ${waits.version} until ${timeText(waits.until)} at the earliest.`
    case 'runtime_trial':
      return 'Its runtime is being tested. The update starts after that.'
    case 'blueprint_trial':
      return 'It is testing a blueprint version. The update starts after that.'
    case 'fetch':
      return 'It has reported since the request was sent, but has not started. It may be busy, or unable to reach the download.'
    case 'report':
    case 'wave':
    case 'approval':
    case 'hold':
      return `It is waiting for ${waitText(waits)}.` // only agents of a rollout wait for these
  }
}

/** Says in a few words what an agent of a rollout waits for. */
export function waitText(waits: WaitReason): string {
  switch (waits.for) {
    case 'first_report':
      return 'its first report'
    case 'report':
    case 'node':
      return 'its next report'
    case 'silent':
      return `offline since ${timeText(waits.since)}`
    case 'trials':
      return `its turn: at most ${waits.most} runtimes are tested at a time`
    case 'window':
      return `watching ${oneSafeLine(waits.version)} until ${timeText(waits.until)}`
    case 'runtime_trial':
      return 'the test of its runtime'
    case 'blueprint_trial':
      return 'the test of a blueprint version'
    case 'fetch':
      return 'the start of its download'
    case 'wave':
      return 'its wave'
    case 'approval':
      return 'approval of the next wave'
    case 'hold':
      return waits.by === 'rollout'
        ? 'somebody who continues the rollout'
        : 'another version: its machine holds this one'
  }
}

/** The lines about the new secrets that a version asks for; none if there are no new ones. */
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
