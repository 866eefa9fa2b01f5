/** Text that agents and people wrote, fit for a terminal (I31): it neither moves the cursor nor turns other text around. */
import { clean } from './text.ts'

/** Turns the direction of text around, or hides in it. */
const steering = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]/g
const escapedInJson = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** A text of several lines. */
export const safeText = (text: string): string => clean(text).replace(steering, '')
/** A text in one line. */
export const safeLine = (text: string): string => safeText(text).replace(/\s+/g, ' ').trim()
/** JSON with the same value, in which everything that could steer a terminal is escaped. */
export const safeJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(escapedInJson, escaped)

const escaped = (c: string) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`
