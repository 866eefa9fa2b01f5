interface TextProps {
  /** What an agent or a person wrote: shown as text, whatever it is (I31). */
  children: string
  /** On one line, cut with an ellipsis; the whole on hover. */
  cut?: boolean
  /** With its line breaks kept. */
  lines?: boolean
  mono?: boolean
}

/** Text from outside, isolated so that its direction cannot disturb what stands around it (D13). */
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
