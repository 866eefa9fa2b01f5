import { TextInput, type TextInputProps } from '@mantine/core'

/** The input for a code of an authenticator app. Phones offer the code above their keyboard, which has digits only. */
export const CodeInput = (props: TextInputProps) => (
  <TextInput
    label="Code"
    description="Six digits of your authenticator app."
    inputMode="numeric"
    autoComplete="one-time-code"
    maxLength={40}
    {...props}
  />
)
