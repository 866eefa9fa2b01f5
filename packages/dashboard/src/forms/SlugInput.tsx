import { TextInput, type TextInputProps } from '@mantine/core'

interface SlugInputProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  value?: string
  onChange?: (value: string) => void
  /**
   * Called with true when the person has typed an address, and with false when the field is empty. A typed address no
   * longer follows the name.
   */
  onOwn: (own: boolean) => void
}

/** The field for the address of a new workspace. */
export const SlugInput = ({ value = '', onChange, onOwn, ...props }: SlugInputProps) => (
  <TextInput
    label="Workspace URL"
    description={`${window.location.host}/w/${value || '…'}`}
    autoComplete="off"
    autoCapitalize="none"
    spellCheck={false}
    value={value}
    onChange={({ currentTarget }) => {
      onOwn(currentTarget.value !== '')
      onChange?.(currentTarget.value)
    }}
    {...props}
  />
)
