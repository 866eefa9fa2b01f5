import { useRef, useState } from 'react'
import { useKeptFocus } from './focus.ts'

/**
 * Follows a change that a person makes with a button or a form: `submit` and `run` carry it out, and the promise of
 * `run` rejects if the change fails. While the change runs, `busy` is true, and `values` is its input. Afterwards,
 * `value` is its result, and `error` says why it failed (null if it did not fail).
 */
export function useChange<V = void, R = unknown>(act: (values: V) => Promise<R>) {
  /** The change that was started last. The hook does not show the outcome of earlier changes. */
  const newest = useRef<object>(null)
  const [running, setRunning] = useState<{ values: V }>()
  const [error, setError] = useState<unknown>(null)
  const [value, setValue] = useState<R>()
  const busy = running !== undefined
  useKeptFocus(busy)
  const run = async (values: V): Promise<void> => {
    const mine = { values }
    const isNewest = () => newest.current === mine
    newest.current = mine
    setRunning(mine)
    setError(null)
    setValue(undefined)
    try {
      const result = await act(values)
      if (isNewest()) setValue(() => result)
    } catch (cause) {
      if (isNewest()) setError(cause)
      throw cause
    } finally {
      if (isNewest()) setRunning(undefined)
    }
  }
  const submit = (values: V) => void run(values).catch(() => undefined)
  return { busy, values: running?.values, value, error, run, submit, forgetError: () => setError(null) }
}
