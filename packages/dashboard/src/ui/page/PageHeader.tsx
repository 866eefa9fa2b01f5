import { Group, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'

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
    <div className="svc-page-head">
      <Group gap="sm" wrap="wrap">
        {before}
        <Title order={1} fz={20} lh={1.5} style={{ overflowWrap: 'anywhere' }}>
          {title}
        </Title>
      </Group>
      {actions && <Group gap="xs">{actions}</Group>}
      {note && (
        <Text className="svc-page-note" component="div" c="dimmed" fz="sm">
          {note}
        </Text>
      )}
    </div>
  )
}

/**
 * The two parts of the title of the browser tab. Each page sets `title`. The shell around the pages of a workspace sets
 * `count`, the number before the title.
 */
const shown = { title: '', count: 0 }
const write = () => {
  document.title = shown.count > 0 ? `(${shown.count}) ${shown.title}` : shown.title
}

/** Sets the title of the browser tab, such as `mail-triage · svc`. */
export function useDocumentTitle(...parts: (string | undefined)[]): void {
  const title = [...parts.filter((part) => part), 'svc'].join(' · ')
  useEffect(() => {
    shown.title = title
    write()
  }, [title])
}

/**
 * Puts a number before the title of the browser tab, such as `(2) mail-triage · svc`, and on the icon of an installed
 * page. The number 0 is not shown.
 */
export function useTitleCount(count: number): void {
  useEffect(() => {
    const show = (number: number) => {
      shown.count = number
      write()
      // A browser that has no badges, or does not allow them, shows no number on the icon.
      if ('setAppBadge' in navigator) void navigator.setAppBadge(number).catch(() => {})
    }
    show(count)
    return () => show(0)
  }, [count])
}
