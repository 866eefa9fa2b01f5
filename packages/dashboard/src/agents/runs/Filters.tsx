/** The search and the filters above the list of runs. */
import { Button, NativeSelect, Popover, Stack, TextInput } from '@mantine/core'
import { IconFilter, IconSearch, IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useAddressText } from '../../ui/forms/useAddressText.ts'
import { Text, useFocusedPart } from '../../ui/index.ts'
import { count } from '../../ui/time/format.ts'
import { type Agent, useAgentPageParams } from '../parts/agent.ts'
import { type RunFilter, type RunFilterKey, type RunOrder, runFilterWords, runOrders } from './list.ts'

interface FiltersProps {
  agent: Agent
  filter: RunFilter
  order: RunOrder
  /** Called with the order that was chosen in a menu; undefined if the headings of the table change the order. */
  onOrder: ((order: RunOrder) => void) | undefined
  /** The number of runs that fit the filter; undefined without a filter. */
  total: number | undefined
  /** The button after the filters. */
  children: ReactNode
}

/** The time between the last key and the search for the typed text, in milliseconds. */
const searchDelayMs = 250

/** Shows the search, a button that opens the filters, and a button for each filter in use that removes it. */
export function Filters({ agent, filter, order, onOrder, total, children }: FiltersProps) {
  const { go } = useAgentPageParams()
  const { typed, type } = useAddressText({
    text: filter.text,
    tell: (text) => go({ text: text || undefined, page: undefined }),
    pauseAfter: () => searchDelayMs,
  })
  const inUse = (Object.keys(runFilterWords) as RunFilterKey[]).filter((key) => filter[key] !== '')
  const field = useFocusedPart<HTMLInputElement>(inUse.join())
  return (
    <search className="ag-filters">
      <TextInput
        ref={field}
        aria-label="Search runs"
        placeholder="Subject, kind or id"
        leftSection={<IconSearch size={15} aria-hidden />}
        value={typed}
        onChange={({ currentTarget: { value } }) => type(value)}
      />
      <FilterMenu agent={agent} filter={filter} order={order} onOrder={onOrder} />
      {inUse.map((key) => (
        <Button
          key={key}
          className="ag-filter-used"
          variant="default"
          fw={500}
          aria-label={`Remove the filter ${runFilterWords[key]}: ${filter[key]}`}
          rightSection={<IconX size={14} aria-hidden />}
          onClick={() => go({ [key]: undefined, page: undefined })}
        >
          <Text cut>{`${runFilterWords[key]}: ${filter[key]}`}</Text>
        </Button>
      ))}
      <span className="ag-quiet" role="status" data-all={total === undefined}>
        {total === undefined
          ? `${count(agent.page.runs.kept, 'run')} kept`
          : `${count(total, 'matching run', 'matching runs')}`}
      </span>
      {children}
    </search>
  )
}

/**
 * A button that opens the filters and, if `onOrder` is given, the choice of the order. Shows nothing if there is
 * neither a filter nor an order to choose.
 */
function FilterMenu({ agent, filter, order, onOrder }: Omit<FiltersProps, 'total' | 'children'>) {
  const { go } = useAgentPageParams()
  const { statuses, models } = agent.page.runs
  const offered = [
    { key: 'status', all: statuses, any: 'Any status' },
    { key: 'model', all: models, any: 'Any model' },
  ] as const
  const useful = offered.filter(({ key, all }) => all.length > 1 || filter[key] !== '')
  if (useful.length === 0 && onOrder === undefined) return null
  return (
    <Popover position="bottom-end" width={260} shadow="md" trapFocus returnFocus transitionProps={{ duration: 0 }}>
      <Popover.Target>
        <Button variant="default" leftSection={<IconFilter size={15} aria-hidden />}>
          Filter
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Filter runs">
        <Stack gap="xs">
          {useful.map(({ key, all, any }) => (
            <NativeSelect
              key={key}
              label={runFilterWords[key]}
              data={[{ value: '', label: any }, ...withChosen(all, filter[key])]}
              value={filter[key]}
              onChange={({ currentTarget: { value } }) => go({ [key]: value || undefined, page: undefined })}
            />
          ))}
          {onOrder && <OrderMenu order={order} onOrder={onOrder} />}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

/** A menu of the orders for narrow screens, which show cards and no table headings. */
const OrderMenu = ({ order, onOrder }: { order: RunOrder; onOrder: (order: RunOrder) => void }) => (
  <NativeSelect
    label="Sort by"
    data={runOrders.map(([words]) => words)}
    value={runOrders.find(([, { sort, rising }]) => sort === order.sort && rising === order.rising)?.[0] ?? ''}
    onChange={({ currentTarget: { value } }) => {
      const chosen = runOrders.find(([words]) => words === value)
      if (chosen) onOrder(chosen[1])
    }}
  />
)

/**
 * The options of a filter for runs, without empty texts. The option that the page's address contains is always
 * included, even if no run has it any longer.
 */
const withChosen = (all: readonly string[], chosen: string) =>
  [...new Set([...all, chosen])].filter((one) => one !== '')
