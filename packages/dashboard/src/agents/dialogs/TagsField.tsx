import { TextInput, type TextInputProps } from '@mantine/core'
import { asTyped, hintBelow } from '../../ui/forms/as-typed.ts'

/** The input for the tags of an agent that is about to be made. */
export const TagsField = (props: TextInputProps) => (
  <TextInput
    label="Tags"
    description="Optional. Words by which you filter agents, separated by commas."
    placeholder="eu, prod"
    inputWrapperOrder={hintBelow}
    {...asTyped}
    {...props}
  />
)
