import { useState } from 'react'
import { useKeptFocus } from '../dialogs/focus.ts'

/**
 * Returns the state of a form: a function `submit` that runs its action, whether the action is running (`busy`), and
 * the error with which the action last failed (null if it did not fail).
 */
export function useSubmit<V>(act: (values: V) => Promise<unknown>) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  useKeptFocus(busy)
  const submit = async (values: V) => {
    setBusy(true)
    setError(null)
    try {
      await act(values)
    } catch (cause) {
      setError(cause)
    } finally {
      setBusy(false)
    }
  }
  return { busy, error, submit: (values: V) => void submit(values) }
}
