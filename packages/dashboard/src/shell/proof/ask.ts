/** The question for a proof of who the person is. It is open while somebody waits for its answer. */
import { askForProofBy } from '../../data/api.ts'

let answer: ((isGiven: boolean) => void) | undefined
const listeners = new Set<() => void>()
const tell = () => {
  for (const listener of listeners) listener()
}

/** Asks the person who they are. True if the person gave a proof. */
export function askForProof(): Promise<boolean> {
  return new Promise((done) => {
    answer?.(false)
    answer = done
    tell()
  })
}

export function answerProof(isGiven: boolean): void {
  answer?.(isGiven)
  answer = undefined
  tell()
}

export const isAsked = (): boolean => answer !== undefined

export function onQuestion(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

askForProofBy(askForProof)
