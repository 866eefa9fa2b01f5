import { useEffect, useState } from 'react'
import { withRetries } from './with-retries.ts'

type AnswerState<T> = { is: 'waiting' } | { is: 'there'; value: T } | { is: 'refused'; error: unknown }

/** Calls `ask` with retries, and again only when `subject` changes, such as the token of a link. */
export function useAnswer<T>(subject: string, ask: (signal: AbortSignal) => Promise<T>): AnswerState<T> {
  const [answer, setAnswer] = useState<AnswerState<T>>({ is: 'waiting' })
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new `ask` at each render asks for the same thing
  useEffect(() => {
    const left = new AbortController()
    const { signal } = left
    setAnswer({ is: 'waiting' })
    withRetries(() => ask(signal)).then(
      (value) => !signal.aborted && setAnswer({ is: 'there', value }),
      (error) => !signal.aborted && setAnswer({ is: 'refused', error }),
    )
    return () => left.abort()
  }, [subject])
  return answer
}
