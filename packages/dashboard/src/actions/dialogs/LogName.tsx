import { Select } from '@mantine/core'
import { useEffect, useState } from 'react'
import { ErrorNote } from '../../ui/index.ts'
import { useOffers } from './useOffers.ts'
import type { ActionValues } from './useReach.ts'

interface LogNameProps {
  slug: string
  names: readonly string[]
  /** Called with the chosen log, and with null while none is chosen. */
  onChange: (values: ActionValues | null) => void
}

/** The input in which a person chooses a log that at least one of the selected agents offers. */
export function LogName({ slug, names, onChange }: LogNameProps) {
  const { data, error, refetch } = useOffers(slug, 'log', names)
  const [picked, setPicked] = useState<string | null>(null)
  const logs = data?.logs ?? []
  const name = logs.some((log) => log.name === picked) ? picked : (logs[0]?.name ?? null)
  useEffect(() => onChange(name === null ? null : { name }), [name, onChange])
  if (error) return <ErrorNote error={error} retry={refetch} />
  if (!data) return <p className="svc-quiet">Reading which logs they offer…</p>
  if (logs.length === 0) return <p>None of the selected agents offers a log. An agent decides which logs it offers.</p>
  return (
    <Select
      data-autofocus
      label="Log"
      data={logs.map((log) => ({ value: log.name, label: `${log.name} (${countOfAll(log.agents, names.length)})` }))}
      value={name}
      onChange={setPicked}
      allowDeselect={false}
      searchable={logs.length > 8}
    />
  )
}

/** A number of agents as a share of all selected ones, such as `3 of 12`, or `all`. */
export const countOfAll = (some: number, all: number): string =>
  some === all ? 'all' : `${some.toLocaleString('en-US')} of ${all.toLocaleString('en-US')}`
