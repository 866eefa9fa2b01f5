import { Button, TextInput, type TextInputProps } from '@mantine/core'
import { useState } from 'react'
import { asTyped } from './as-typed.ts'

interface SlugInputProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  value?: string
  onChange?: (value: string) => void
  /** True if the service refused the form. The person may then want another address. */
  refused: boolean
  /**
   * Called with true when the person has typed an address, and with false when the field is empty. An address that the
   * person has typed no longer follows the name of the workspace.
   */
  onOwn: (own: boolean) => void
}

/**
 * Shows the address of a new workspace as a line of text. An input takes its place once somebody presses Change, or
 * if the address or the form is refused.
 */
export function SlugInput({ value = '', onChange, refused, onOwn, ...props }: SlugInputProps) {
  const [opened, setOpened] = useState<'pressed' | 'needed'>()
  if (!opened && (refused || props.error)) setOpened('needed')
  const address = `${window.location.host}/w/${value || '…'}`
  if (!opened)
    return (
      <div className="svc-address">
        <span>Address: {address}</span>
        <Button variant="subtle" size="compact-sm" onClick={() => setOpened('pressed')} aria-label="Change the address">
          Change
        </Button>
      </div>
    )
  return (
    <TextInput
      label="Workspace URL"
      description={address}
      {...asTyped}
      autoFocus={opened === 'pressed'}
      value={value}
      onChange={({ currentTarget }) => {
        onOwn(currentTarget.value !== '')
        onChange?.(currentTarget.value)
      }}
      {...props}
    />
  )
}
