/** Input that is the text of a filter. */
import { clean, hiddenCharacterIn, trimInvisible } from '@svc/protocol'
import { InputRefused, type Reader, reader, text } from '../input.ts'

/**
 * The maximum length of the input. It is above the limit of filters, so that a filter that is only a little too long
 * gets a message about that limit.
 */
const maxText = 2000
const typed = text(maxText)

/** Reads the text of a filter, without checking that the filter is valid: that is left to the operation. */
export const filterText: Reader<string> = reader(typed.form, (value, field) => {
  const read = trimInvisible(typed(value, field)).normalize('NFC')
  if (clean(read) !== read)
    throw new InputRefused(`${field} holds a character that cannot be shown. Type the filter instead of pasting it.`)
  const wrong = hiddenCharacterIn(read.replace(/\s/g, ' '))
  if (wrong === undefined) return read
  throw new InputRefused(`${field} ${wrong}. Type the filter instead of pasting it.`)
})
