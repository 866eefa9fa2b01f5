interface TextProps {
  /** Text that an agent or a person wrote, always shown as text (I31). */
  children: string
  /** Shown on one line, cut with an ellipsis, with the whole text on hover. */
  cut?: boolean
  /** Keeps line breaks. */
  lines?: boolean
  mono?: boolean
}

/** Text from outside, isolated so that its direction cannot affect the text around it (D13). */
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
