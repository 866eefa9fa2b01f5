import { Group, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

interface PageHeaderProps {
  title: ReactNode
  /** One line in quiet text below the title. */
  note?: ReactNode
  /** Content in front of the title, such as a level. */
  before?: ReactNode
  actions?: ReactNode
}

/** The top of a page: the title, which is the page's only `<h1>`, and the buttons for the page. */
export function PageHeader({ title, note, before, actions }: PageHeaderProps) {
  return (
    <Group className="svc-page-head" justify="space-between" align="flex-start" gap="sm" mb="md" wrap="wrap">
      <div style={{ minWidth: 0 }}>
        <Group gap="sm" wrap="wrap">
          {before}
          <Title order={1} fz={20} lh={1.5} style={{ overflowWrap: 'anywhere' }}>
            {title}
          </Title>
        </Group>
        {note && (
          <Text component="div" c="dimmed" fz="sm">
            {note}
          </Text>
        )}
      </div>
      {actions && <Group gap="xs">{actions}</Group>}
    </Group>
  )
}
