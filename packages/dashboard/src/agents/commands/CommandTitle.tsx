import type { ShownCommand } from '@svc/api'
import type { Setting, SettingValues } from '@svc/protocol'
import { Text } from '../../ui/index.ts'
import { commandTitleOf, settingChangesOf } from '../parts/life.ts'

interface CommandTitleProps {
  command: Pick<ShownCommand, 'type' | 'payload'>
  schema?: readonly Setting[] | undefined
}

/** Shows what a command asks for, such as `Pause`, `Send log work` or `Set Minutes between runs to 20`. */
export function CommandTitle({ command, schema }: CommandTitleProps) {
  const { title, what } = commandTitleOf(command)
  const changes = command.type === 'set' ? settingChangesOf(command.payload as SettingValues, schema) : []
  return (
    <span className="ag-what">
      <strong>{title}</strong>
      {what !== null && (
        <>
          {' '}
          <Text mono>{what}</Text>
        </>
      )}
      {changes.map(({ name, value }, i) => (
        <span key={name}>
          {i > 0 ? ', ' : ' '}
          <Text>{name}</Text> to <Text>{value}</Text>
        </span>
      ))}
    </span>
  )
}
