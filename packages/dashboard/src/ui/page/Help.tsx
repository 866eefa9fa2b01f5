import { Anchor, type AnchorProps } from '@mantine/core'
import type { HelpSection } from './help-sections.ts'

/**
 * A link to a section of the help, named like the section. It opens in a new tab, so that nothing is lost that somebody
 * has typed, or that is shown only once.
 */
export const Help = ({ about, ...more }: { about: HelpSection } & Pick<AnchorProps, 'display' | 'py'>) => (
  <Anchor href={`/help/${about}`} target="_blank" c="dimmed" fz="sm" underline="always" {...more}>
    Help: {about.replace(/.*#/, '').replaceAll('-', ' ')}
  </Anchor>
)
