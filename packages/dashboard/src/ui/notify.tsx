/**
 * Notifications in the corner of the page. The component that shows them is loaded when there is a first notification,
 * since most visits need none.
 */
import type { NotificationData } from '@mantine/notifications'
import { Suspense } from 'react'
import { lazyPart } from './files.tsx'
import { sharedValue } from './shared-value.ts'

const load = () => import('@mantine/notifications')
const Notifications = lazyPart(async () => ({ default: (await load()).Notifications }))

/** The button of a notification shows only a cross, so it needs a name. */
const closeButtonProps = { 'aria-label': 'Dismiss message' }

const wanted = sharedValue(false)

/** Shows a notification. */
export function notify(notice: NotificationData): void {
  wanted.set(true)
  void load().then(({ notifications }) => notifications.show({ closeButtonProps, ...notice }))
}

/** Removes a notification that is still shown. */
export function closeNotice(id: string): void {
  if (wanted.get()) void load().then(({ notifications }) => notifications.hide(id))
}

/** Shows that something failed, with the reason that the service gave. */
export const notifyFailed = (title: string, error: unknown): void =>
  notify({ color: 'red', title, message: error instanceof Error ? error.message : '' })

/** The place on the page where notifications are shown. */
export function Notices() {
  const shown = wanted.useValue()
  return (
    <Suspense>
      <div aria-live="polite">{shown && <Notifications position="bottom-right" />}</div>
    </Suspense>
  )
}
