import { Stack, Text, Title } from '@mantine/core'
import type { ComponentType, ReactNode } from 'react'
import { Help } from './Help.tsx'
import type { HelpSection } from './help-sections.ts'

export interface EmptyProps {
  icon: ComponentType<{ size?: number; stroke?: number; 'aria-hidden'?: boolean }>
  title: string
  /** A sentence below the title, for example about how to add something to the list. */
  children?: ReactNode
  action?: ReactNode
  /** The section of the help that explains what would be shown here; null for none. */
  help: HelpSection | null
  /** The level of the heading, such as 2 for `<h2>`. */
  order?: 1 | 2 | 3 | 4
}

/** Shown in place of an empty list or page: says why there is nothing to show, and what to do. */
export function Empty({ icon: Icon, title, children, action, help, order = 2 }: EmptyProps) {
  return (
    <Stack align="center" gap={6} py={48} px="md" ta="center">
      <Icon size={32} stroke={1.4} aria-hidden />
      <Title order={order} fz="md" mt={4}>
        {title}
      </Title>
      {children && (
        <Text component="div" c="dimmed" maw={440} style={{ textWrap: 'balance' }}>
          {children}
        </Text>
      )}
      {action && <div style={{ marginTop: 10 }}>{action}</div>}
      {help && <Help about={help} display="inline-block" py={12} />}
    </Stack>
  )
}
