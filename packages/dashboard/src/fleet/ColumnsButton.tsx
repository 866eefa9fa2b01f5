import { Button } from '@mantine/core'
import { IconColumns3 } from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import { part } from '../ui/files.tsx'

const ColumnsDialog = part(() => import('./ColumnsDialog.tsx'))

/** Opens the choice of columns. Narrow windows show no columns, so they have no such button. */
export function ColumnsButton() {
  const [opened, setOpened] = useState<boolean>()
  return (
    <>
      <Button
        className="fleet-columns"
        variant="default"
        leftSection={<IconColumns3 size={15} aria-hidden />}
        onClick={() => setOpened(true)}
      >
        Columns
      </Button>
      <Suspense>{opened !== undefined && <ColumnsDialog opened={opened} onClose={() => setOpened(false)} />}</Suspense>
    </>
  )
}
