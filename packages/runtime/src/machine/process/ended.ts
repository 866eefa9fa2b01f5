/** Says how a process ended, in words. */

/** Describes how a process ended, as the middle of a sentence, such as `ended with code 1`. */
export function howEnded({ code, signal, error }: { code?: number; signal?: string; error?: string }): string {
  if (error !== undefined) return `could not be started: ${error}`
  if (signal !== undefined) return `was ended by ${signal}`
  return code === undefined ? 'ended, its exit code is not known' : `ended with code ${code}`
}
