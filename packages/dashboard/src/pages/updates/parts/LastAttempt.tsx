import { type Outcome, readAttempt } from '@svc/protocol'
import { Text, Time } from '../../../ui/index.ts'

interface LastAttemptProps {
  applied: { readonly outcome?: Outcome | null; readonly message?: string | null }
}

const outcomes = { ok: 'ok', rolled_back: 'rolled back', failed: 'failed' } as const

/** What the machine says of its last attempt: our runtime's words in a readable order, those of others as they came. */
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

/** Why an attempt ended as it did, without the versions and the time that stand beside it. */
export const reasonIn = (message: string): string => readAttempt(message)?.reason ?? message
