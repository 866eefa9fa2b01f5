import { TextInput, type TextInputProps } from '@mantine/core'

interface SlugInputProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  value?: string
  onChange?: (value: string) => void
  /** Called with whether the person typed an address. From then on it no longer follows the name. */
  onOwn: (own: boolean) => void
}

/** The address of a new workspace. */
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
