/** The question for a proof of who the person is. It is open while somebody waits for its answer. */
import { Suspense } from 'react'
import { askForProofBy } from '../../data/api.ts'
import { part } from '../../ui/files.tsx'
import { sharedValue } from '../../ui/shared-value.ts'

const ProofDialog = part(async () => ({ default: (await import('./ProofDialog.tsx')).ProofDialog }))

/** Takes the answer; undefined while nothing is asked. */
const waiting = sharedValue<((isGiven: boolean) => void) | undefined>(undefined)

/** Asks the person who they are. True if the person gave a proof. */
export function askForProof(): Promise<boolean> {
  return new Promise((done) => {
    waiting.get()?.(false)
    waiting.set(done)
  })
}

export function answerProof(isGiven: boolean): void {
  waiting.get()?.(isGiven)
  waiting.set(undefined)
}

askForProofBy(askForProof)

/** Shows the question for a proof while one is asked for. The dialog is loaded at the first question. */
export function ProofGate() {
  const isAsked = waiting.useValue() !== undefined
  return <Suspense>{isAsked && <ProofDialog />}</Suspense>
}
