/**
 * The time zone of this browser. A browser may have none, may name one that its own `Intl` does not know, or may name
 * one that the service does not know.
 */
import { ApiError } from '../../data/api.ts'

/** The time zone of this browser; UTC if the browser names none that its `Intl` knows. */
export function browserZone(zone: string | undefined = Intl.DateTimeFormat().resolvedOptions().timeZone): string {
  try {
    if (zone === undefined || !/^[A-Z]/i.test(zone)) return 'UTC'
    Intl.DateTimeFormat('en', { timeZone: zone })
    return zone === 'Etc/Unknown' ? 'UTC' : zone
  } catch {
    return 'UTC'
  }
}

/** Adds a channel with the time zone of this browser, or with UTC if the service refuses that zone. */
export async function addInZone<T>(add: (zone: string) => Promise<T>, zone = browserZone()): Promise<T> {
  try {
    return await add(zone)
  } catch (error) {
    if (zone === 'UTC' || !(error instanceof ApiError && error.code === 'channel_invalid')) throw error
    return await add('UTC')
  }
}
