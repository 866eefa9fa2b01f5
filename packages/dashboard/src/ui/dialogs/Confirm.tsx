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
 * A dialog that names the consequences of an action and asks for confirmation. If it has no input, and its text does
 * not change while it is open, `useConfirm` is shorter.
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
  /** The consequences, in sentences. It is shown outside of the router, so it has no links of the page. */
  content: ReactNode
  /** Carries out the action. While it runs the button waits, and if it fails the dialog shows the error. */
  act: () => Promise<unknown>
}

/** The last question. It stays after its dialog has closed, so that the dialog keeps its text until it is gone. */
const last = sharedValue<{ readonly id: number; readonly question: Question } | undefined>(undefined)
let questions = 0

/** Returns a function that asks for confirmation. The dialog is gone when the component is. */
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

/** The one place in which the dialogs of `useConfirm` are drawn. */
export function ConfirmDialogs() {
  const asked = last.useValue()
  return asked && <AskedConfirm key={asked.id} {...asked.question} />
}

/** A question is drawn closed and then opened, so that it appears like every other dialog. */
function AskedConfirm({ content, act, ...words }: Question) {
  const [opened, setOpened] = useState(false)
  useEffect(() => setOpened(true), [])
  return (
    <Confirm {...words} opened={opened} onClose={() => setOpened(false)} onConfirm={act}>
      {content}
    </Confirm>
  )
}
