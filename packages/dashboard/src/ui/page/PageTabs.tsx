import { Loader, Tabs } from '@mantine/core'
import { type KeyboardEvent, type MouseEvent, type ReactNode, Suspense } from 'react'
import '../parts.css'
import { useInSight } from './useInSight.ts'

interface PageTabsProps<Tab extends string> {
  /** The tabs that are shown, in this order, with their names. */
  tabs: readonly (readonly [tab: Tab, name: string])[]
  open: Tab
  onOpen: (tab: Tab) => void
  /** The content of the open tab. Its code may be loaded later. */
  children: ReactNode
}

/**
 * The tabs of a page. Each tab is a link to `?tab=`, so that it can be opened in another tab of the browser. Only the
 * content of the open tab is drawn.
 */
export function PageTabs<Tab extends string>({ tabs, open, onOpen, children }: PageTabsProps<Tab>) {
  const list = useInSight<HTMLDivElement>('[aria-selected="true"]', open)
  const content = <Suspense fallback={<Loader size="sm" m="md" />}>{children}</Suspense>
  // A single tab is no choice, so only its content is shown.
  if (tabs.length < 2) return content
  return (
    <Tabs value={open} onChange={(tab) => onOpen(tab as Tab)} keepMounted={false}>
      <Tabs.List ref={list} className="svc-tabs">
        {tabs.map(([tab, name]) => (
          <Tabs.Tab key={tab} value={tab} {...link(tab)}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(([tab]) => (
        <Tabs.Panel key={tab} value={tab} pt="md">
          {tab === open && content}
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}

/** The props that make a tab a link. A press with a modifier key is left to the browser, which opens another tab. */
const link = (tab: string): object => ({
  component: 'a',
  href: `?tab=${tab}`,
  onClickCapture: (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) event.stopPropagation()
    else event.preventDefault()
  },
  // The space bar must press a tab, but the browser does not press links with it.
  onKeyDown: (event: KeyboardEvent<HTMLElement>) => {
    if (event.key !== ' ') return
    event.preventDefault()
    event.currentTarget.click()
  },
})
