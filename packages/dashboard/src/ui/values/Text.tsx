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
