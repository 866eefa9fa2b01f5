import { PasswordInput, type PasswordInputProps } from '@mantine/core'

/** The field for a new password. */
export const NewPasswordInput = (props: PasswordInputProps) => (
  <PasswordInput
    label="Password"
    description="At least 10 characters. A few random words work well."
    autoComplete="new-password"
    {...props}
  />
)
