import { Anchor, Text as Words } from '@mantine/core'
import { isLink } from '@svc/protocol'
import { IconExternalLink } from '@tabler/icons-react'

interface TextProps {
  /** The text, which an agent or a person wrote. It is never interpreted as markup (I31). */
  children: string
  /** True to show the text on one line, cut with an ellipsis. The whole text then appears on hover. */
  cut?: boolean
  /** True to keep the line breaks of the text. */
  lines?: boolean
  mono?: boolean
}

/**
 * Shows text that an agent or a person wrote. The text is isolated, so that its writing direction cannot affect the
 * text around it (D13).
 */
export function Text({ children, cut = false, lines = false, mono = false }: TextProps) {
  return (
    <bdi
      className={cut ? 'svc-text svc-cut' : 'svc-text'}
      title={cut ? children : undefined}
      style={{
        ...(lines && { whiteSpace: 'pre-wrap' }),
        ...(mono && { fontFamily: 'var(--mantine-font-family-monospace)' }),
      }}
    >
      {children}
    </bdi>
  )
}

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
