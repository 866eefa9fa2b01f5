import { Loader, Tabs } from '@mantine/core'
import { type ReactNode, Suspense } from 'react'
import './parts.css'

interface PageTabsProps<Tab extends string> {
  /** The tabs that are shown, in this order, with their names. */
  tabs: readonly (readonly [tab: Tab, name: string])[]
  open: Tab
  onOpen: (tab: Tab) => void
  /** The content of the open tab. Its code may be loaded later. */
  children: ReactNode
}

/** The tabs of a page. Only the content of the open tab exists. */
export function PageTabs<Tab extends string>({ tabs, open, onOpen, children }: PageTabsProps<Tab>) {
  return (
    <Tabs value={open} onChange={(tab) => onOpen(tab as Tab)} keepMounted={false}>
      <Tabs.List className="svc-tabs">
        {tabs.map(([tab, name]) => (
          <Tabs.Tab key={tab} value={tab}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(([tab]) => (
        <Tabs.Panel key={tab} value={tab} pt="md">
          {tab === open && <Suspense fallback={<Loader size="sm" m="md" />}>{children}</Suspense>}
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
