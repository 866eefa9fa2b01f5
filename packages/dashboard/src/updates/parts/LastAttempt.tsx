import { type Outcome, readAttemptText } from '@svc/protocol'
import { Text, Time } from '../../ui/index.ts'

interface LastAttemptProps {
  applied: { readonly outcome?: Outcome | null; readonly message?: string | null }
  /** The reason that the page already shows beside the attempt. It is not repeated here. */
  shown?: string | undefined
}

const outcomes = { ok: 'ok', rolled_back: 'rolled back', failed: 'failed' } as const

/** The number of characters of the longest reason that is shown at once. A longer one is shown after a press. */
const longReason = 40

/**
 * Shows how the last update attempt of an agent ended. A message in the format of the svc runtime is reordered to be
 * easier to read; any other message is shown as it came.
 */
export function LastAttempt({ applied: { outcome, message }, shown }: LastAttemptProps) {
  const attempt = readAttemptText(message ?? '')
  // The message of a successful attempt needs no word before it.
  const word = outcome && (outcome !== 'ok' || !message) && outcomes[outcome]
  if (!attempt) return <Text>{[word, message !== shown && message].filter(Boolean).join(': ')}</Text>
  const reason = attempt.reason === shown ? '' : attempt.reason.replace(/\.$/, '')
  const isLong = reason.length > longReason
  return (
    <span>
      {word && `${word}: `}
      <Text>{`${attempt.from} → ${attempt.to}${reason === '' || isLong ? '' : `, ${reason}`}`}</Text>,{' '}
      <Time at={attempt.at} />
      {isLong && (
        <details>
          <summary>Details</summary>
          <Text>{reason}</Text>
        </details>
      )}
    </span>
  )
}
