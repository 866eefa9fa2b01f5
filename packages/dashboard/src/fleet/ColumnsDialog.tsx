import { Button, Checkbox, Group, Stack } from '@mantine/core'
import { Dialog } from '../ui/index.ts'
import { columnLooks, columnNames, defaultColumns } from './views/columns.ts'
import { useFleetListChoice } from './views/useFleetListChoice.ts'

/** Lets a person choose the columns of the list. The list behind the dialog changes at once. */
export default function ColumnsDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { state, show } = useFleetListChoice()
  const chosen = state.columns
  return (
    <Dialog opened={opened} onClose={onClose} title="Columns" size="xs">
      <Stack gap="xs">
        <p className="svc-quiet">This browser remembers them. A window shows the columns for which it has room.</p>
        {columnNames.map((name) => (
          <Checkbox
            key={name}
            label={columnLooks[name].words}
            checked={chosen.includes(name)}
            disabled={chosen.length === 1 && chosen.includes(name)}
            onChange={({ currentTarget: { checked } }) =>
              show({ columns: checked ? [...chosen, name] : chosen.filter((one) => one !== name) })
            }
          />
        ))}
        <Group justify="space-between">
          <Button variant="default" onClick={() => show({ columns: defaultColumns })}>
            Default columns
          </Button>
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
