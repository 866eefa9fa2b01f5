/**
 * Makes texts of agents and people safe for a terminal (I31). A safe text can neither move the cursor nor reverse the
 * direction of other text.
 */
import { clean, cut } from './text.ts'

/** Characters that change the direction of text or are invisible. */
const steering = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]/g
const escapedInJson = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Makes a text safe for a terminal and keeps its line breaks. */
export const safeText = (text: string): string => clean(text).replace(steering, '')
/** Makes a text safe for a terminal and puts it on one line. */
export const safeLine = (text: string): string => safeText(text).replace(/\s+/g, ' ').trim()

/**
 * Cleans a text that another program sent, such as the answer of a receiver or the message of an error, before it is
 * stored or put into a message. The result is one line of at most `max` Unicode code points.
 */
export const foreignLine = (text: string, max = 200): string => cut(safeLine(text), max)
/** Formats a value as JSON in which every character that could control a terminal is escaped. */
export const safeJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(escapedInJson, escaped)

const escaped = (c: string) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`
