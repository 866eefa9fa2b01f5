import { Stack } from '@mantine/core'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { sharedValue } from '../shared-value.ts'
import { Dialog, DialogFooter } from './Dialog.tsx'
import { useChange } from './useChange.ts'
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

/**
 * A dialog that names the consequences of an action and asks for confirmation. For a dialog without an input and with a
 * fixed text, `useConfirm` needs less code.
 */
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
  const { busy, error, submit, forgetError } = useChange(async () => {
    await onConfirm()
    if (!keepOpen) onClose()
  })
  const close = () => {
    forgetError()
    onClose()
  }
  return (
    <Dialog opened={opened} onClose={close} title={title}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <Stack gap="md">
          <div>{children}</div>
          <DialogFooter
            error={error}
            onCancel={close}
            submit={confirm}
            busy={busy}
            danger={danger}
            disabled={disabled}
          />
        </Stack>
      </form>
    </Dialog>
  )
}

interface Question extends Pick<ConfirmProps, 'title' | 'confirm' | 'danger'> {
  /**
   * The consequences, in sentences. Links of the router do not work here, because the dialog is outside of the router.
   */
  content: ReactNode
  /**
   * Carries out the action. The button is busy until the promise settles. If it rejects, the dialog shows the error.
   */
  act: () => Promise<unknown>
}

/** The last question. It is kept after the dialog was closed, so that the text stays while the dialog fades out. */
const last = sharedValue<{ readonly id: number; readonly question: Question } | undefined>(undefined)
let questions = 0

/** Returns a function that asks for confirmation. If the component is removed, its dialog is removed, too. */
export function useConfirm(): (question: Question) => void {
  const mine = useRef(0)
  useEffect(
    () => () => {
      if (last.get()?.id === mine.current) last.set(undefined)
    },
    [],
  )
  return (question) => {
    mine.current = ++questions
    last.set({ id: mine.current, question })
  }
}

/** Draws the dialogs of `useConfirm`. The page has it once. */
export function ConfirmDialogs() {
  const asked = last.useValue()
  return asked && <AskedConfirm key={asked.id} {...asked.question} />
}

/** Draws the dialog closed and then opens it, so that it fades in like every other dialog. */
function AskedConfirm({ content, act, ...words }: Question) {
  const [opened, setOpened] = useState(false)
  useEffect(() => setOpened(true), [])
  return (
    <Confirm {...words} opened={opened} onClose={() => setOpened(false)} onConfirm={act}>
      {content}
    </Confirm>
  )
}
