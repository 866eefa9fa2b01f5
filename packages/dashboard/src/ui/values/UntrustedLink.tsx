import { Anchor, Text as Words } from '@mantine/core'
import { isLink } from '@svc/protocol'
import { IconExternalLink } from '@tabler/icons-react'
import { Text } from './Text.tsx'

interface UntrustedLinkProps {
  title: string
  /**
   * The address that the agent reported. The service keeps only harmless addresses, and this component checks that
   * again (D21).
   */
  url: string | undefined
  /**
   * True to show the host of the address behind the title, which is the default. With false, for places with little
   * space, the address appears only on hover.
   */
  host?: boolean
}

/** Shows a link that an agent reported. It opens in a new tab and sends no referrer (D21). */
export function UntrustedLink({ title, url, host = true }: UntrustedLinkProps) {
  if (url === undefined || !isLink(url)) return <Text>{title}</Text>
  const where = new URL(url).host
  return (
    <span>
      <Anchor href={url} target="_blank" rel="noopener noreferrer nofollow" title={url} inherit>
        <Text>{title}</Text>
        <IconExternalLink size={13} aria-hidden style={{ marginInlineStart: 3, verticalAlign: '-0.12em' }} />
      </Anchor>
      {host && (
        <>
          {' '}
          <Words span inherit c="dimmed" fz="xs" ms={2}>
            <Text>{where}</Text>
          </Words>
        </>
      )}
    </span>
  )
}
