import { Button } from '@mantine/core'
import type { Command } from '@svc/api'
import type { Setting, SettingValues } from '@svc/protocol'
import { Text, Time } from '../../ui/index.ts'
import { Tone } from '../../ui/parts.tsx'
import { CommandTitle } from '../commands/CommandTitle.tsx'
import { wordsOf } from '../parts/life.ts'

interface LastAnswerProps {
  command: Command | undefined
  schema: readonly Setting[]
  /**
   * Called when the person presses "Edit it again", with the values of the shown command; undefined if the person may
   * not send commands.
   */
  onEdit: ((values: SettingValues) => void) | undefined
}

/**
 * Shows, above the settings form, how the newest `set` command ended, and the message about it if there is one. The
 * message is the agent's or, if the agent no longer offered the command, the service's.
 */
export function LastAnswer({ command, schema, onEdit }: LastAnswerProps) {
  if (command === undefined) return null
  const { word, tone, means } = wordsOf(command)
  const at = command.answeredAt ?? command.failedAt ?? command.createdAt
  return (
    <div className="ag-answer" data-tone={tone} role="status">
      <Tone tone={tone} title={means}>
        {word}
      </Tone>
      <CommandTitle command={command} schema={schema} />
      {command.message && (
        <q className="ag-words">
          <Text lines>{command.message}</Text>
        </q>
      )}
      <span className="ag-quiet">
        <Time at={at} />
      </span>
      {onEdit && tone !== 'good' && !command.short && (
        <Button variant="default" size="compact-sm" onClick={() => onEdit(command.payload as SettingValues)}>
          Edit it again
        </Button>
      )}
    </div>
  )
}
