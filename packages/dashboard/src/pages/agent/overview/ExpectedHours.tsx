import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import type { Agent } from '../../../agents/parts/agent.ts'
import { sentenceOf } from '../../../alerts/hours.ts'
import { agentHoursQuery } from '../../../queries.ts'
import { Text } from '../../../ui/Text.tsx'

const loadForm = () => import('./HoursForm.tsx')
const HoursForm = lazy(loadForm)

/**
 * Says in which hours the agent is expected to report. Admins edit the hours here. Members see nothing if the agent has
 * no hours.
 */
export function ExpectedHours({ agent: { slug, page } }: { agent: Agent }) {
  const { data } = useQuery(agentHoursQuery(slug, page.name))
  const [editing, setEditing] = useState(false)
  if (!data || (data.hours === null && !page.canAct)) return null
  const button = (
    <Button
      variant="default"
      size="compact-sm"
      onPointerEnter={() => void loadForm()}
      onFocus={() => void loadForm()}
      onClick={() => setEditing(true)}
    >
      {data.hours === null ? 'Set hours' : 'Edit hours'}
    </Button>
  )
  return (
    <div className="ag-hours">
      <div className="ag-hours-words">
        <Text>{sentenceOf(data.hours)}</Text>
      </div>
      {page.canAct && !editing && button}
      {editing && (
        <Suspense fallback={button}>
          <HoursForm slug={slug} name={page.name} hours={data.hours} onDone={() => setEditing(false)} />
        </Suspense>
      )}
    </div>
  )
}
