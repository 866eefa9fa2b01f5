import { useState } from 'react'

/** Runs the action of a form, and returns whether it is running and the error with which it failed. */
export function useSubmit<V>(act: (values: V) => Promise<unknown>) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
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
