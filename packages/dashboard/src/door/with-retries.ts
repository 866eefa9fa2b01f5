import { ApiError } from '../data/api.ts'

/** The pauses in milliseconds before a request is sent again. */
const retryDelaysMs = [1000, 2000]

const sleep = (ms: number) => new Promise<void>((done) => setTimeout(done, ms))

/**
 * Sends a request again, at most twice, if the service could not be reached or failed. Requests that the service
 * refused are not repeated.
 */
export async function withRetries<T>(ask: () => Promise<T>, wait: (ms: number) => Promise<void> = sleep): Promise<T> {
  for (const pause of retryDelaysMs) {
    try {
      return await ask()
    } catch (error) {
      if (error instanceof ApiError && error.status > 0 && error.status < 500) throw error
      await wait(pause)
    }
  }
  return await ask()
}
