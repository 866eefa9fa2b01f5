/** An error as Vitest keeps it for its reports. */
interface KeptError {
  stack?: string
  cause?: unknown
}

/** The line that stands before the cause of an error. */
export const causedBy = 'Caused by: '

/**
 * Adds the causes of errors to their stacks, which is all that Vitest's JSON report has of an error. A failed property
 * names its counterexample only; the error itself is its cause.
 */
export function addCauses(errors: readonly KeptError[] = []): void {
  for (const error of errors) {
    const causes: string[] = []
    for (let cause = error.cause as KeptError | undefined; cause && causes.length < 3; cause = cause.cause as KeptError)
      if (cause.stack) causes.push(causedBy + cause.stack)
    error.stack = [error.stack, ...causes].join('\n')
  }
}
