import { Button } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { api } from '../api.ts'
import { notify } from '../notify.tsx'
import { meQuery } from '../queries.ts'
import { useAlertChange } from './useAlertChange.ts'

const loadBrowser = () => import('./browser.ts')

/** The buttons with which a person has alerts sent to this browser, and by email if the service can send any. */
export function NotifyButtons({ slug }: { slug: string }) {
  const { data: me } = useSuspenseQuery(meQuery)
  const browser = useAlertChange(slug, 'This browser is not notified', async () => {
    await (await loadBrowser()).notifyThisBrowser(slug)
    notify({ message: 'This browser is notified of alerts from now on.' })
  })
  const email = useAlertChange(slug, 'No email will be sent', async () => {
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
    await api.addMyChannel(slug, { name: 'my-email', kind: 'email', zone })
    notify({ message: `Alerts are sent to ${me.email} from now on.` })
  })
  return (
    <span className="svc-banner-buttons">
      <Button
        size="compact-sm"
        variant="default"
        loading={browser.isPending}
        onPointerEnter={() => void loadBrowser()}
        onFocus={() => void loadBrowser()}
        onClick={() => browser.mutate(undefined)}
      >
        Notify this browser
      </Button>
      {me.mails && (
        <Button size="compact-sm" variant="default" loading={email.isPending} onClick={() => email.mutate(undefined)}>
          E-mail me
        </Button>
      )}
    </span>
  )
}
