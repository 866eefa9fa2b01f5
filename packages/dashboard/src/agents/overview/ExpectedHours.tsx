import { Button } from '@mantine/core'
import { Suspense, useState } from 'react'
import { hoursSentence } from '../../alerts/parts/hours.ts'
import { lazyPart } from '../../ui/files.tsx'
import { Text } from '../../ui/values/Text.tsx'
import type { Agent } from '../parts/agent.ts'

const loadForm = () => import('./HoursForm.tsx')
const HoursForm = lazyPart(async () => ({ default: (await loadForm()).HoursForm }))

/**
 * Says in which hours the agent is expected to report. Admins edit the hours here; the first ones are set from the menu
 * of the agent.
 */
export default function ExpectedHours({ agent: { slug, page }, hours }: { agent: Agent; hours: string }) {
  const [editing, setEditing] = useState(false)
  const button = (
    <Button
      variant="default"
      size="compact-sm"
      onPointerEnter={() => void loadForm()}
      onFocus={() => void loadForm()}
      onClick={() => setEditing(true)}
    >
      Edit hours
    </Button>
  )
  return (
    <div className="ag-hours">
      <div className="ag-hours-words">
        <Text>{hoursSentence(hours)}</Text>
      </div>
      {page.canAct && !editing && button}
      {editing && (
        <Suspense fallback={button}>
          <HoursForm slug={slug} name={page.name} hours={hours} onDone={() => setEditing(false)} />
        </Suspense>
      )}
    </div>
  )
}
