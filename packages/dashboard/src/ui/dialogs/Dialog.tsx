import { Button, Group, Modal, type ModalProps } from '@mantine/core'
import type { ReactNode } from 'react'
import { ErrorNote } from './ErrorNote.tsx'
import { useFocusBack } from './focus.ts'

interface DialogProps extends Pick<ModalProps, 'opened' | 'onClose'> {
  title: string
  children: ReactNode
  size?: string | number
  /**
   * True if a stray click or key must not close the dialog, for example while a token is shown once. Escape then does
   * not close a dialog below either.
   */
  stay?: boolean
}

/**
 * A dialog with a heading and a close button that has a name for screen readers. The dialog's head is not a `<header>`
 * element, which screen readers would count as a second banner of the page. When the dialog closes, the focus returns
 * to where it was.
 */
export function Dialog({ opened, onClose, title, children, size = 'md', stay = false }: DialogProps) {
  useFocusBack(opened)
  const alone = stay ? { 'data-mantine-stop-propagation': 'true' } : {}
  return (
    <Modal.Root
      opened={opened}
      onClose={onClose}
      size={size}
      centered
      closeOnClickOutside={!stay}
      closeOnEscape={!stay}
      returnFocus={false}
    >
      <Modal.Overlay backgroundOpacity={0.45} />
      <Modal.Content radius="md" {...alone}>
        <div className="svc-dialog-head">
          <Modal.Title>{title}</Modal.Title>
          <Modal.CloseButton aria-label="Close" {...alone} />
        </div>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}

interface DialogFooterProps {
  /** The error with which the action failed; null if it did not fail. */
  error: unknown
  onCancel: () => void
  /** The text on the button that submits the form, which begins with a verb. */
  submit: string
  busy: boolean
  danger?: boolean | undefined
  disabled?: boolean | undefined
}

/** The end of a form in a dialog: the error if there is one, the cancel button, and the submit button. */
export const DialogFooter = ({ error, onCancel, submit, busy, danger, disabled = false }: DialogFooterProps) => (
  <>
    {error !== null && <ErrorNote error={error} />}
    <Group justify="flex-end" gap="xs">
      <Button variant="default" onClick={onCancel}>
        Cancel
      </Button>
      <Button type="submit" {...(danger && { color: 'red' })} loading={busy} disabled={disabled}>
        {submit}
      </Button>
    </Group>
  </>
)
