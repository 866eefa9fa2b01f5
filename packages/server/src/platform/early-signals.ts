/**
 * Ends a start of the service at a signal that comes before anything is open, while the modules are still loaded. It
 * does the same as Node, which raises the signal again, except in process 1 of a container: there the kernel drops a
 * signal without a handler.
 */
const early = { SIGTERM: () => process.exit(128 + 15), SIGINT: () => process.exit(128 + 2) } as const
const signals = ['SIGTERM', 'SIGINT'] as const

export function endAtEarlySignals(): void {
  for (const signal of signals) process.on(signal, early[signal])
}

/** Leaves the signals to other handlers, which must be set before. */
export function handOverSignals(): void {
  for (const signal of signals) process.off(signal, early[signal])
}
