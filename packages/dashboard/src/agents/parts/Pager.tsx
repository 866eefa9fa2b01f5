import { ActionIcon, Group } from '@mantine/core'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { figure } from '../../ui/time/format.ts'

interface PagerProps {
  /** The page that is shown, counted from 1. */
  page: number
  size: number
  total: number
  onPage: (page: number) => void
}

/**
 * Shows which rows of a list are in view, such as `51 to 100 of 1,234`, and buttons for the previous and the next page.
 * Shows nothing if there is only one page.
 */
export function Pager({ page, size, total, onPage }: PagerProps) {
  const last = Math.max(1, Math.ceil(total / size))
  if (last === 1) return null
  const from = (page - 1) * size + 1
  return (
    <Group component="nav" aria-label="Pages" justify="flex-end" gap={6} mt="sm">
      <span className="ag-quiet" role="status">
        {figure(Math.min(from, total))} to {figure(Math.min(total, from + size - 1))} of {figure(total)}
      </span>
      <ActionIcon variant="default" aria-label="Previous page" disabled={page <= 1} onClick={() => onPage(page - 1)}>
        <IconChevronLeft size={16} aria-hidden />
      </ActionIcon>
      <ActionIcon variant="default" aria-label="Next page" disabled={page >= last} onClick={() => onPage(page + 1)}>
        <IconChevronRight size={16} aria-hidden />
      </ActionIcon>
    </Group>
  )
}
