import { lazy, Suspense, useSyncExternalStore } from 'react'
import { isAsked, onQuestion } from './ask.ts'

const ProofDialog = lazy(async () => ({ default: (await import('./ProofDialog.tsx')).ProofDialog }))

/** Shows the question for a proof while one is asked for. The dialog is loaded at the first question. */
export function ProofGate() {
  const asked = useSyncExternalStore(onQuestion, isAsked)
  return <Suspense>{asked && <ProofDialog />}</Suspense>
}
