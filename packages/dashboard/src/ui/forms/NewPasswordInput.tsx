import { PasswordInput, type PasswordInputProps } from '@mantine/core'

export const NewPasswordInput = (props: PasswordInputProps) => (
  <PasswordInput
    label="Password"
    description="At least 10 characters. A few random words work well."
    autoComplete="new-password"
    {...props}
  />
)
