import { Anchor, Text as Words } from '@mantine/core'
import { isLink } from '@svc/protocol'
import { IconExternalLink } from '@tabler/icons-react'
import { Text } from './Text.tsx'

interface UntrustedLinkProps {
  title: string
  /** The service keeps only harmless links (D21); checked again here. */
  url: string | undefined
  /** Shows the host after the title; on unless space is short, then it is on hover. */
  host?: boolean
}

/** A link that an agent reported. It shows its host, opens in a new tab, and sends no referrer (D21). */
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
        <Words span inherit c="dimmed" fz="xs" ms={6}>
          <Text>{where}</Text>
        </Words>
      )}
    </span>
  )
}
