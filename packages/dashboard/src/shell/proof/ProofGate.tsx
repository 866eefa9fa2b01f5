import { Suspense, useSyncExternalStore } from 'react'
import { part } from '../../ui/files.tsx'
import { isAsked, onQuestion } from './ask.ts'

const ProofDialog = part(async () => ({ default: (await import('./ProofDialog.tsx')).ProofDialog }))

/** Shows the question for a proof while one is asked for. The dialog is loaded at the first question. */
export function ProofGate() {
  const asked = useSyncExternalStore(onQuestion, isAsked)
  return <Suspense>{asked && <ProofDialog />}</Suspense>
}
