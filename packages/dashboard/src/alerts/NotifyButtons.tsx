import { ButtonLink } from '../links.tsx'
import { paths } from '../paths.ts'

/** The shortest ways to be notified. */
export const NotifyButtons = ({ slug }: { slug: string }) => (
  <span className="svc-banner-buttons">
    <ButtonLink to={paths.alerts} params={{ slug }} search={{ tab: 'channels' }} size="compact-sm" variant="default">
      Add channel
    </ButtonLink>
  </span>
)
