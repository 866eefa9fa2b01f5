import { TextInput, type TextInputProps } from '@mantine/core'
import { asTyped } from './as-typed.ts'

interface SlugInputProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  value?: string
  onChange?: (value: string) => void
  /**
   * Called with true when the person has typed an address, and with false when the field is empty. An address that the
   * person has typed no longer follows the name of the workspace.
   */
  onOwn: (own: boolean) => void
}

/** The input for the address of a new workspace. */
export const SlugInput = ({ value = '', onChange, onOwn, ...props }: SlugInputProps) => (
  <TextInput
    label="Workspace URL"
    description={`${window.location.host}/w/${value || '…'}`}
    {...asTyped}
    value={value}
    onChange={({ currentTarget }) => {
      onOwn(currentTarget.value !== '')
      onChange?.(currentTarget.value)
    }}
    {...props}
  />
)
