import { Button, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useChange } from '../ui/dialogs/useChange.ts'
import { NewPasswordInput } from '../ui/forms/NewPasswordInput.tsx'
import { wrongWithPassword, wrongWithText } from '../ui/forms/rules.ts'
import { ErrorNote } from '../ui/index.ts'

interface AccountFormProps {
  email: string
  /** The name that the form has at first. */
  name?: string
  /** The text on the button, which begins with a verb. */
  verb: string
  onSubmit: (account: { name: string; password: string }) => Promise<unknown>
}

/**
 * A form for the name and a new password of an account that is new, was taken over, or whose password was forgotten.
 * The e-mail address cannot be changed, because it is given by the link that the person opened.
 */
export function AccountForm({ email, name: before = '', verb, onSubmit }: AccountFormProps) {
  const form = useForm({
    initialValues: { name: before, password: '' },
    validate: { name: wrongWithText, password: wrongWithPassword },
  })
  const { busy, error, submit } = useChange(onSubmit)
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack gap="sm">
        <TextInput label="Email" value={email} readOnly autoComplete="username" />
        <TextInput label="Your name" autoComplete="name" autoFocus={before === ''} {...form.getInputProps('name')} />
        <NewPasswordInput {...form.getInputProps('password')} />
        {error !== null && <ErrorNote error={error} />}
        <Button type="submit" loading={busy} fullWidth mt={4}>
          {verb}
        </Button>
      </Stack>
    </form>
  )
}
