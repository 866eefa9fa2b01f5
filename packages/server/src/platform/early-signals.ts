/** The signals that end the service, with their numbers. Shells give 128 and the number as the exit code. */
export const endingSignals = { SIGTERM: 15, SIGINT: 2 } as const
type EndingSignal = keyof typeof endingSignals
const names = Object.keys(endingSignals) as EndingSignal[]

const end = (signal: NodeJS.Signals) => process.exit(128 + endingSignals[signal as EndingSignal])

/**
 * Ends the process at a signal that arrives while the modules of the service are still loaded. Process 1 of a container
 * needs these handlers, because there the kernel drops a signal without a handler.
 */
export function endAtEarlySignals(): void {
  for (const name of names) process.on(name, end)
}

/** Removes the early handlers. Other handlers of the signals must have been installed before. */
export function handOverSignals(): void {
  for (const name of names) process.off(name, end)
}
