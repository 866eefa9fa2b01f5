import { Anchor, Text as Words } from '@mantine/core'
import { isLink } from '@svc/protocol'
import { IconExternalLink } from '@tabler/icons-react'
import { Text } from './Text.tsx'

interface UntrustedLinkProps {
  title: string
  /** Kept by the service only if harmless (D21); looked at once more here. */
  url: string | undefined
  /** Show the host behind the title; on unless space is short (then it is on hover). */
  host?: boolean
}

/** A link that an agent reported: its host is shown, it opens apart, and tells the other side nothing (D21). */
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
