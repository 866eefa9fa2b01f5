import { Button } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { ApiError, call } from '../../data/api.ts'
import { meQuery } from '../../data/queries.ts'
import { notify } from '../../ui/notify.tsx'
import { useAlertChange } from '../parts/useAlertChange.ts'
import { addInZone } from '../parts/zone.ts'

interface NotifyButtonsProps {
  slug: string
  /** True if the buttons are the main action of the page, so that they are larger. */
  isMain?: boolean
  /** True if the person has an enabled channel for email. The button for email is then left out. */
  hasEmail?: boolean
}

const loadBrowser = () => import('./browser.ts')

/** The buttons with which a person has alerts sent to this browser and, if the service can send email, by email. */
export function NotifyButtons({ slug, isMain = false, hasEmail = false }: NotifyButtonsProps) {
  const { data: me } = useSuspenseQuery(meQuery)
  const browser = useAlertChange(slug, 'This browser is not notified', async () => {
    await (await loadBrowser()).notifyThisBrowser(slug)
    notify({ message: 'This browser is notified of alerts from now on.' })
  })
  const email = useAlertChange(slug, 'No email will be sent', async () => {
    await notifyByEmail(slug)
    notify({ message: `Alerts are sent to ${me.email} from now on.` })
  })
  return (
    <span className="svc-banner-buttons">
      <Button
        {...(isMain ? {} : { size: 'compact-sm', variant: 'default' })}
        loading={browser.busy}
        onPointerEnter={() => void loadBrowser()}
        onFocus={() => void loadBrowser()}
        onClick={() => browser.submit()}
      >
        Notify this browser
      </Button>
      {me.mails && !hasEmail && (
        <Button
          size={isMain ? 'sm' : 'compact-sm'}
          variant="default"
          loading={email.busy}
          onClick={() => email.submit()}
        >
          E-mail me
        </Button>
      )}
    </span>
  )
}

const ownEmail = 'my-email'

/** Adds the person's own email address as a channel. If the person has that channel already, it is enabled again. */
async function notifyByEmail(slug: string): Promise<void> {
  try {
    await addInZone((zone) => call('POST /w/:slug/my-channels', { slug }, { name: ownEmail, kind: 'email', zone }))
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'channel_taken')) throw error
    await call('PATCH /w/:slug/my-channels/:channel', { slug, channel: ownEmail }, { enabled: true })
  }
}
