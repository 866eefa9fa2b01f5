import { type Outcome, readAttempt } from '@svc/protocol'
import { Text, Time } from '../ui/index.ts'

interface LastAttemptProps {
  applied: { readonly outcome?: Outcome | null; readonly message?: string | null }
}

const outcomes = { ok: 'ok', rolled_back: 'rolled back', failed: 'failed' } as const

/**
 * Shows how the last update attempt of an agent ended. A message in the format of the svc runtime is reordered to be
 * easier to read; any other message is shown as it came.
 */
export function LastAttempt({ applied: { outcome, message } }: LastAttemptProps) {
  const attempt = readAttempt(message ?? '')
  const word = outcome && outcomes[outcome]
  if (!attempt) return <Text>{[word, message].filter(Boolean).join(': ')}</Text>
  return (
    <>
      {outcome === 'ok' ? '' : `${word ?? ''}: `}
      <Text>{`${attempt.from} → ${attempt.to}, ${attempt.reason.replace(/\.$/, '')}`}</Text>, <Time at={attempt.at} />
    </>
  )
}

/**
 * Returns the reason from the message of an update attempt, without the versions and the time in it, which the page
 * shows separately. A message in an unknown format is returned whole.
 */
export const reasonIn = (message: string): string => readAttempt(message)?.reason ?? message
