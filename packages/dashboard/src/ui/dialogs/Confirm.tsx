import { Stack } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Dialog, DialogEnd } from './Dialog.tsx'
import { useKeptFocus } from './focus.ts'
import '../parts.css'

interface ConfirmProps {
  opened: boolean
  onClose: () => void
  title: string
  /** The text of the dialog: the consequences, in sentences. */
  children: ReactNode
  /** The text on the button, which begins with a verb, such as `Delete agent`. */
  confirm: string
  danger?: boolean
  disabled?: boolean
  /** True to keep the dialog open after the action, because the action replaces what is shown. */
  keepOpen?: boolean
  /**
   * Carries out the action. When the promise resolves, the dialog closes, unless `keepOpen` is true. When the promise
   * rejects, the dialog shows the error.
   */
  onConfirm: () => Promise<unknown>
}

/** A dialog that names the consequences of an action and asks for confirmation. */
export function Confirm({
  opened,
  onClose,
  title,
  children,
  confirm,
  danger,
  disabled,
  keepOpen,
  onConfirm,
}: ConfirmProps) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  useKeptFocus(busy)
  const close = () => {
    setError(null)
    onClose()
  }
  const act = async () => {
    setBusy(true)
    setError(null)
    try {
      await onConfirm()
      if (!keepOpen) onClose()
    } catch (cause) {
      setError(cause)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog opened={opened} onClose={close} title={title}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void act()
        }}
      >
        <Stack gap="md">
          <div>{children}</div>
          <DialogEnd error={error} onCancel={close} submit={confirm} busy={busy} danger={danger} disabled={disabled} />
        </Stack>
      </form>
    </Dialog>
  )
}
