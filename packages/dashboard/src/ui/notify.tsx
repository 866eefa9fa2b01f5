/**
 * Notifications in the corner of the page. The component that shows them is loaded when there is a first notification,
 * since most visits need none.
 */
import type { NotificationData } from '@mantine/notifications'
import { Suspense, useSyncExternalStore } from 'react'
import { part } from './files.tsx'

const load = () => import('@mantine/notifications')
const Notifications = part(async () => ({ default: (await load()).Notifications }))

/** The button of a notification shows only a cross, so it needs a name. */
const closeButtonProps = { 'aria-label': 'Dismiss message' }

let wanted = false
const listeners = new Set<() => void>()

export function notify(notice: NotificationData): void {
  wanted = true
  for (const listener of listeners) listener()
  void load().then(({ notifications }) => notifications.show({ closeButtonProps, ...notice }))
}

/** Removes a notification that is still shown. */
export function unnotify(id: string): void {
  if (wanted) void load().then(({ notifications }) => notifications.hide(id))
}

/** Shows that the service refused a command, with the service's reason. */
export const notifyNotSent = (error: unknown): void =>
  notify({ color: 'red', title: 'Not sent', message: error instanceof Error ? error.message : '' })

function listen(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function Notices() {
  const shown = useSyncExternalStore(listen, () => wanted)
  return (
    <Suspense>
      <div aria-live="polite">{shown && <Notifications position="bottom-right" />}</div>
    </Suspense>
  )
}
