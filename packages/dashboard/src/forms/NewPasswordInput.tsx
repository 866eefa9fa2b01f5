import { PasswordInput, type PasswordInputProps } from '@mantine/core'

/** Where a person chooses a password. */
export const NewPasswordInput = (props: PasswordInputProps) => (
  <PasswordInput
    label="Password"
    description="At least 10 characters. A few words are better than one odd one."
    autoComplete="new-password"
    {...props}
  />
)
