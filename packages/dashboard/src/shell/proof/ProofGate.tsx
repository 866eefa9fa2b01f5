/** The question for a proof of who the person is. It is open until the person answers or cancels. */
import { Suspense } from 'react'
import { askForProofBy } from '../../data/api.ts'
import { lazyPart } from '../../ui/files.tsx'
import { sharedValue } from '../../ui/shared-value.ts'

const ProofDialog = lazyPart(async () => ({ default: (await import('./ProofDialog.tsx')).ProofDialog }))

/** The act that needs the proof, and the function that takes the answer; undefined while nothing is asked. */
const waiting = sharedValue<{ act: string | undefined; done: (isGiven: boolean) => void } | undefined>(undefined)

/** Asks the person who they are, before `act`, such as `delete a workspace`. True if the person gave a proof. */
export function askForProof(act?: string): Promise<boolean> {
  return new Promise((done) => {
    waiting.get()?.done(false)
    waiting.set({ act, done })
  })
}

/** Closes the question. `isGiven` is true if the person gave a proof. */
export function answerProof(isGiven: boolean): void {
  waiting.get()?.done(isGiven)
  waiting.set(undefined)
}

askForProofBy(askForProof)

/** Shows the question for a proof while one is asked for. The dialog is loaded at the first question. */
export function ProofGate() {
  const asked = waiting.useValue()
  return <Suspense>{asked && <ProofDialog act={asked.act} />}</Suspense>
}
