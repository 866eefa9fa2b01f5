import { useState } from 'react'
import { useKeptFocus } from './focus.ts'

/**
 * Follows a change that a person makes with a button or a form: `submit` carries it out, and so does `run`, whose
 * promise rejects if the change fails. While it runs, `busy` is true, and `values` are those that it was given. Then
 * there is its `value`, or the `error` with which it failed (null if it did not fail).
 */
export function useChange<V, R>(act: (values: V) => Promise<R>) {
  const [running, setRunning] = useState<{ values: V }>()
  const [error, setError] = useState<unknown>(null)
  const [value, setValue] = useState<R>()
  const busy = running !== undefined
  useKeptFocus(busy)
  const run = async (values: V): Promise<void> => {
    setRunning({ values })
    setError(null)
    setValue(undefined)
    try {
      const result = await act(values)
      setValue(() => result)
    } catch (cause) {
      setError(cause)
      throw cause
    } finally {
      setRunning(undefined)
    }
  }
  const submit = (values: V) => void run(values).catch(() => undefined)
  return { busy, values: running?.values, value, error, run, submit, forgetError: () => setError(null) }
}
